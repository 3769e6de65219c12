import type { Clock } from "../clock.ts";
import { type Database, type Db, openDatabase, readDatabaseSizes } from "../db/index.ts";
import { messageOf } from "../errors.ts";
import { defineGauge } from "../instruments/index.ts";
import type { Logger } from "../logger.ts";

/** Work of one kind that is due and waits in the database. */
export interface Backlog {
  /** A name of ours: of a task, or of what waits. */
  readonly kind: string;
  readonly depth: number;
  /** Of what waits longest. */
  readonly oldestSeconds: number;
}

/** Counts at most as many rows as `COUNTED_AT_MOST`, by an index. */
export type ReadBacklog = (db: Db, now: Date) => Promise<readonly Backlog[]>;

export const COUNTED_AT_MOST = 10_000;

const databaseUp = defineGauge({
  name: "svc_database_up",
  help: "1 while the database answers in time; the other gauges of the database are missing while it does not.",
  unit: "1",
  labels: [],
});
const depth = defineGauge({
  name: "svc_queue_depth",
  help: "Work that is due and waits, by kind; counted up to 10,000.",
  unit: "{item}",
  labels: ["kind"],
});
const age = defineGauge({
  name: "svc_queue_age_seconds",
  help: "How long the oldest of it has been due; 0 where nothing waits.",
  unit: "s",
  labels: ["kind"],
});
const tableBytes = defineGauge({
  name: "svc_database_table_bytes",
  help: "Size of a table with its indexes and partitions, measured every 5 minutes.",
  unit: "By",
  labels: ["table"],
});
const databaseBytes = defineGauge({
  name: "svc_database_bytes",
  help: "Size of the database, measured every 5 minutes.",
  unit: "By",
  labels: [],
});

export interface DatabaseGaugesOptions {
  readonly connectionString: string;
  readonly pooled: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly backlogs: readonly ReadBacklog[];
}

const ASKED_EVERY_MS = 15_000;
const SIZES_EVERY_MS = 5 * 60_000;
/** What takes longer is shown the next time; who reads metrics is answered without it. */
const PATIENCE_MS = 700;
const ANSWER_WITHIN_MS = 12_000;

const noLabels = {} as const;

/**
 * Asks the database what waits in it, over one connection of its own, so that a busy pool does not look like a
 * database that is away; only when somebody reads metrics, and at most every 15 s.
 */
export function observeDatabase(options: DatabaseGaugesOptions): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const { clock, log } = options;
  const connection = stack.use(new OwnConnection(options));
  const backlog = new Remembered(ASKED_EVERY_MS, async () =>
    connection.ask(async (db) => {
      const now = clock.now();
      const found: Backlog[] = [];
      for (const read of options.backlogs) found.push(...(await read(db, now)));
      return found;
    }),
  );
  const sizes = new Remembered(SIZES_EVERY_MS, async () => connection.ask(readDatabaseSizes));
  const onFailure = (error: unknown) =>
    log.warn("metrics.database_unread", { reason: messageOf(error) });
  const readBacklog = async () => (await backlog.get(onFailure)) ?? [];
  // After the backlog, for there is one connection.
  const readSizes = async () => {
    const isUp = (await backlog.get(onFailure)) !== undefined;
    return isUp ? await sizes.get(onFailure) : undefined;
  };
  stack.use(
    databaseUp.observe(async () => {
      const isUp = (await backlog.get(onFailure)) !== undefined;
      return [{ value: Number(isUp), labels: noLabels }];
    }),
  );
  stack.use(
    depth.observe(async () =>
      (await readBacklog()).map(({ kind, depth }) => ({ value: depth, labels: { kind } })),
    ),
  );
  stack.use(
    age.observe(async () =>
      (await readBacklog()).map(({ kind, oldestSeconds }) => ({
        value: Math.max(0, oldestSeconds),
        labels: { kind },
      })),
    ),
  );
  stack.use(
    tableBytes.observe(async () => {
      const { tables = [] } = (await readSizes()) ?? {};
      return tables.map(({ table, bytes }) => ({ value: bytes, labels: { table } }));
    }),
  );
  stack.use(
    databaseBytes.observe(async () => {
      const found = await readSizes();
      return found === undefined ? [] : [{ value: found.total, labels: noLabels }];
    }),
  );
  return stack;
}

/** One connection, given up when it does not answer: a broken one may look alive for minutes. */
class OwnConnection implements AsyncDisposable {
  readonly #options: DatabaseGaugesOptions;
  #database: Database | undefined;

  constructor(options: DatabaseGaugesOptions) {
    this.#options = options;
  }

  async ask<Answer>(question: (db: Db) => Promise<Answer>): Promise<Answer> {
    this.#database ??= this.#open();
    const { db } = this.#database;
    const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const gone = new Promise<never>((_, reject) => {
      late.addEventListener("abort", () =>
        reject(new Error("The database did not answer in time.")),
      );
    });
    try {
      return await Promise.race([question(db), gone]);
    } catch (error) {
      this.#database?.disconnect();
      this.#database = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database?.disconnect();
    this.#database = undefined;
  }

  #open(): Database {
    const { connectionString, pooled, log } = this.#options;
    const onError = (error: Error) =>
      log.debug("metrics.connection_lost", { reason: messageOf(error) });
    return openDatabase({ connectionString, pooled, maxConnections: 1, waitMs: 5000, onError });
  }
}

/** What was read last, until it is too old; one reading at a time. */
class Remembered<Value> {
  readonly #everyMs: number;
  readonly #read: () => Promise<Value>;
  #value: Value | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(everyMs: number, read: () => Promise<Value>) {
    this.#everyMs = everyMs;
    this.#read = read;
  }

  /** Undefined while it cannot be read, or takes too long. */
  async get(onFailure: (error: unknown) => void): Promise<Value | undefined> {
    const isOld = performance.now() - this.#readAt >= this.#everyMs;
    if (isOld) this.#reading ??= this.#refresh(onFailure);
    if (this.#reading === undefined) return this.#value;
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const timer = setTimeout(resolve, PATIENCE_MS, "late");
    const outcome = await Promise.race([this.#reading, late]);
    clearTimeout(timer);
    return outcome === "late" ? undefined : this.#value;
  }

  async #refresh(onFailure: (error: unknown) => void): Promise<void> {
    try {
      this.#value = await this.#read();
    } catch (error) {
      this.#value = undefined;
      onFailure(error);
    } finally {
      // A failure is remembered too: a database that is away is not asked by each scrape.
      this.#readAt = performance.now();
      this.#reading = undefined;
    }
  }
}
