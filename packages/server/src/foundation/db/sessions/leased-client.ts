import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresPoolClient } from "kysely";
import type pg from "pg";
import { SECOND } from "../../clock.ts";
import { DatabaseAway, toDatabaseAway, WorkerAway } from "./database-away.ts";
import { findPatience, withinPatience } from "./patience.ts";

/** Before what certainly did not run is tried once more. */
const REPEAT_AFTER_MS = 0.5 * SECOND;
const SILENT_MS = 2 * SECOND;

export interface SentResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

/** Sends a statement of kysely's over a connection of the pool. */
export type SendStatement = (
  client: pg.PoolClient,
  text: string,
  values: readonly unknown[],
) => Promise<SentResult>;

export interface LeaseOptions {
  readonly pool: pg.Pool;
  readonly send: SendStatement;
  readonly onRelease: () => void;
}

/**
 * A connection of the pool for one statement or one transaction. Errors of a database that is away become
 * `DatabaseAway`, and their connection is not used again. What certainly did not run is tried once more over another
 * connection: connecting, and a statement outside transactions.
 */
export async function leaseClient(options: LeaseOptions): Promise<PostgresPoolClient> {
  const lease = new Lease(options);
  await lease.connect();
  return toPoolClient(lease);
}

class Lease {
  readonly #options: LeaseOptions;
  #client: pg.PoolClient | undefined;
  /** Of the connection or the statement that is tried. */
  #since = performance.now();
  #mayRepeat = true;
  #isInTransaction = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    try {
      this.#client = await connectWithin(this.#options.pool);
    } catch (error) {
      const away = toDatabaseAway(error, { isConnecting: true });
      if (away === undefined || !(await this.#shouldRepeat(away))) throw away ?? error;
      await this.connect();
    }
  }

  async query(text: string, values: readonly unknown[]): Promise<SentResult> {
    this.#since = performance.now();
    const client = this.#client;
    if (client === undefined) return endWithoutConnection(text);
    try {
      const result = await this.#options.send(client, text, values);
      this.#isInTransaction ||= /^(begin|start transaction)\b/i.test(text);
      return result;
    } catch (error) {
      const away = toDatabaseAway(error, { isConnecting: false });
      if (away === undefined) throw error;
      if (away instanceof WorkerAway && away.keepsSession) throw away;
      this.#drop();
      if (this.#isInTransaction || !(await this.#shouldRepeat(away))) throw away;
      await this.connect();
      return await this.query(text, values);
    }
  }

  release(mustClose: boolean | undefined): void {
    this.#client?.release(mustClose);
    this.#client = undefined;
    this.#options.onRelease();
  }

  #drop(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }

  /** Once, and within the patience of the request. */
  async #shouldRepeat(away: DatabaseAway): Promise<boolean> {
    const leftMs = findPatience()?.leftMs ?? Number.POSITIVE_INFINITY;
    // What was not refused but never answered will not be answered now.
    const wasSilent = performance.now() - this.#since > SILENT_MS;
    const isInVain = wasSilent || leftMs < 2 * REPEAT_AFTER_MS;
    if (!this.#mayRepeat || !away.didNotRun || isInVain) return false;
    this.#mayRepeat = false;
    await sleep(REPEAT_AFTER_MS);
    return true;
  }
}

/** A transaction ends with its connection; why that was lost has been said before. */
function endWithoutConnection(text: string): SentResult {
  if (text !== "rollback") throw new DatabaseAway({ didNotRun: true });
  return { command: "ROLLBACK", rowCount: null, rows: [] };
}

/** Within the patience of the request; the pool has its own bound for all others. */
async function connectWithin(pool: pg.Pool): Promise<pg.PoolClient> {
  // At hand, and not promised to one who came before in this turn: nothing is waited for.
  if (pool.idleCount > pool.waitingCount) return await pool.connect();
  const connecting = pool.connect();
  try {
    return await withinPatience(connecting);
  } catch (error) {
    // One that comes too late is for the next.
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  }
}

/** As kysely uses one, for statements with values only: the dialect is given no cursor class. */
function toPoolClient(lease: Lease): PostgresPoolClient {
  const client = {
    query: lease.query.bind(lease),
    release: (mustClose?: boolean) => lease.release(mustClose),
  };
  return client as unknown as PostgresPoolClient;
}
