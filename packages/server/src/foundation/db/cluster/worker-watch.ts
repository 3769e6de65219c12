import { sql } from "kysely";
import { SECOND } from "../../clock.ts";
import { reasonOf } from "../../errors.ts";
import type { EnvironmentId } from "../../ids.ts";
import type { Logger } from "../../logger/index.ts";
import { serverState } from "../../server-state.ts";
import { inTime, within } from "../../waiting/index.ts";
import type { Db } from "../owned-db.ts";
import { boundedDb, isStatementTimeout } from "./bounded-db.ts";

/** Of a cluster: set at the start where Citus distributes the tables. */
export const clusterWorkers = serverState<WorkerWatch | undefined>(() => undefined);

const ASKED_AGAIN_AFTER_MS = 2 * SECOND;
/** For the coordinator to reach a worker; Citus by itself waits for 30 s. */
const REACHED_WITHIN_MS = SECOND;
/** Where the coordinator does not notice that its time is over. */
const GIVEN_UP_AFTER_MS = 1.2 * SECOND;
const LISTED_WITHIN_MS = SECOND;
/** What one answer waits for; the state of before is given after that. */
const PATIENCE_MS = 2 * SECOND;
const ASKED_AT_ONCE = 4;
/** While a worker is away, before its environments are listed again: some are new, and shards move. */
const LISTED_AGAIN_AFTER_MS = 15 * SECOND;

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
  /** Those whose rows lie on a worker that is away. */
  #environments: ReadonlySet<EnvironmentId> = new Set();
  #listedAt = Number.NEGATIVE_INFINITY;
  #asked: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /**
   * Whether the rows of an environment lie on a worker that was not reached when it was last asked; while one is away
   * this asks again in the background.
   */
  isAway(environmentId: EnvironmentId): boolean {
    if (this.#away.length > 0) this.look();
    return this.#environments.has(environmentId);
  }

  /** All of which `isAway` is true. */
  listAway(): EnvironmentId[] {
    return [...this.#environments];
  }

  /** As `host:port`. */
  async findAway(): Promise<readonly string[]> {
    this.look();
    if (this.#asked !== undefined) {
      await within(PATIENCE_MS, this.#asked).catch(() => undefined);
    }
    return this.#away;
  }

  /** Asks in the background, unless this was done a moment ago: what somebody asked for was not answered. */
  look(): void {
    if (this.#asked === undefined && performance.now() - this.#askedAt > ASKED_AGAIN_AFTER_MS) {
      this.#asked = this.#ask().finally(() => {
        this.#askedAt = performance.now();
        this.#asked = undefined;
      });
      // The coordinator did not answer: what was known stays, and `/ready` says so itself.
      this.#asked.catch(() => undefined);
    }
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
    const isSame = this.#away.join() === before;
    await this.#listEnvironments(isSame);
    if (isSame) return;
    if (away.length > 0) this.#log.warn("database.workers_away", { workers: this.#away });
    else this.#log.info("database.workers_reached", {});
  }

  async #listEnvironments(isKnown: boolean): Promise<void> {
    if (this.#away.length === 0) {
      this.#environments = new Set();
      return;
    }
    if (isKnown && performance.now() - this.#listedAt < LISTED_AGAIN_AFTER_MS) return;
    this.#listedAt = performance.now();
    const listing = listEnvironmentsOf(boundedDb(this.#db, LISTED_WITHIN_MS), this.#away);
    // Without them each environment is found out by itself.
    this.#environments = await listing.catch((error: unknown) => {
      this.#log.warn("database.environments_not_listed", { reason: reasonOf(error) });
      return new Set<EnvironmentId>();
    });
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

/** Their tables lie together: one of them says where. The catalogue is the coordinator's own. */
async function listEnvironmentsOf(db: Db, workers: readonly string[]): Promise<Set<EnvironmentId>> {
  const { rows } = await sql<{ id: EnvironmentId }>`
    select e.id
      from environments e
      join pg_dist_placement p
        on p.shardid = get_shard_id_for_distribution_column('webhook_receivers', e.id)
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where n.nodename || ':' || n.nodeport = any(${workers})`.execute(db);
  return new Set(rows.map(({ id }) => id));
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
