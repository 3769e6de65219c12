import { sql } from "kysely";
import { SECOND } from "../../clock.ts";
import type { Logger } from "../../logger/index.ts";
import { serverState } from "../../server-state.ts";
import { inTime, within } from "../../waiting/index.ts";
import type { Db } from "../owned-db.ts";

/** Of a cluster: set at the start where Citus distributes the tables. */
export const clusterWorkers = serverState<WorkerWatch | undefined>(() => undefined);

const ASKED_AGAIN_AFTER_MS = 2 * SECOND;
/** For the coordinator to reach a worker; Citus by itself waits for 30 s. */
const REACHED_WITHIN_MS = SECOND;
/** Where the coordinator does not notice that its time is over. */
const GIVEN_UP_AFTER_MS = 1.2 * SECOND;
/** What one answer waits for; the state of before is given after that. */
const PATIENCE_MS = 2 * SECOND;
const ASKED_AT_ONCE = 4;

interface Worker {
  readonly host: string;
  readonly port: number;
}

/** Which workers of a Citus cluster the coordinator cannot reach, asked at most every two seconds. */
export class WorkerWatch {
  readonly #db: Db;
  readonly #log: Logger;
  /** Questions that have taken too long and still run: of each worker one. */
  readonly #hanging = new Set<string>();
  #away: readonly string[] = [];
  #asked: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** As `host:port`. */
  async findAway(): Promise<readonly string[]> {
    if (this.#asked === undefined && performance.now() - this.#askedAt > ASKED_AGAIN_AFTER_MS) {
      this.#asked = this.#ask().finally(() => {
        this.#askedAt = performance.now();
        this.#asked = undefined;
      });
      // The coordinator did not answer: what was known stays, and `/ready` says so itself.
      this.#asked.catch(() => undefined);
    }
    if (this.#asked !== undefined) {
      await within(PATIENCE_MS, this.#asked).catch(() => undefined);
    }
    return this.#away;
  }

  async #ask(): Promise<void> {
    const waiting = await listWorkers(this.#db);
    const away: string[] = [];
    const askNext = async (): Promise<void> => {
      for (let worker = waiting.pop(); worker !== undefined; worker = waiting.pop()) {
        if (!(await this.#isReached(worker))) away.push(nameOf(worker));
      }
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, askNext));
    const before = this.#away.join();
    this.#away = away.toSorted();
    if (this.#away.join() === before) return;
    if (away.length > 0) this.#log.warn("database.workers_away", { workers: this.#away });
    else this.#log.info("database.workers_reached", {});
  }

  /** False also where the coordinator's attempt takes too long, as to a host that is gone. */
  async #isReached(worker: Worker): Promise<boolean> {
    const name = nameOf(worker);
    if (this.#hanging.has(name)) return false;
    const answer = Promise.withResolvers<boolean>();
    const asking = this.#db.transaction().execute(async (db) => {
      await sql`set local statement_timeout = ${sql.lit(REACHED_WITHIN_MS)}`.execute(db);
      const asked = askCoordinator(db, worker);
      this.#hanging.add(name);
      // From here on: waiting for a connection of the pool is no fault of the worker.
      const timely = inTime(GIVEN_UP_AFTER_MS, asked).then((isReached) => isReached ?? false);
      timely.then(answer.resolve, answer.reject);
      await asked;
    });
    asking.catch(answer.reject).finally(() => this.#hanging.delete(name));
    return await answer.promise;
  }
}

function nameOf({ host, port }: Worker): string {
  return `${host}:${port}`;
}

async function listWorkers(db: Db): Promise<Worker[]> {
  const { rows } = await sql<Worker>`
    select nodename as host, nodeport as port from pg_dist_node
     where groupid <> 0 and isactive and noderole = 'primary'`.execute(db);
  return rows;
}

async function askCoordinator(db: Db, { host, port }: Worker): Promise<boolean> {
  try {
    const { rows } = await sql<{ isReached: boolean }>`
      select citus_check_connection_to_node(${host}::text, ${port}::integer) as is_reached`.execute(
      db,
    );
    return rows[0]?.isReached ?? false;
  } catch (error) {
    if (isStatementTimeout(error)) return false;
    throw error;
  }
}

/** SQLSTATE query_canceled. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "57014";
}
