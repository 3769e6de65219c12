import type { Clock } from "../clock.ts";
import {
  type Database,
  type Db,
  isDatabaseReady,
  openDatabase,
  readDatabaseSizes,
} from "../db/index.ts";
import { messageOf } from "../errors.ts";
import { defineGauge } from "../instruments/index.ts";
import type { Logger } from "../logger/index.ts";
import { inTime } from "../waiting/index.ts";
import { Remembered, type Times } from "./remembered.ts";

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
  help: "1 while the database answers in time; otherwise the other gauges of the database are missing.",
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
  help: "How long the oldest work has been due; 0 if nothing waits.",
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
const ANSWER_WITHIN_MS = 12_000;
/** So old may be what is shown while a reading takes long. */
const BACKLOG_KEPT_MS = 60_000;

const noLabels = {} as const;

/**
 * Asks the database whether it is there and what waits in it; only when somebody reads metrics, and at most every
 * 15 s. Over connections of its own, so that a busy pool does not look like a database that is away.
 */
export function observeDatabase(options: DatabaseGaugesOptions): AsyncDisposable {
  const stack = new AsyncDisposableStack();
  const { clock, log } = options;
  const onFailure = (error: unknown) =>
    log.warn("metrics.database_unread", { reason: messageOf(error) });
  const remember = <Value>(times: Times, question: (db: Db) => Promise<Value>) => {
    // One each: a question that takes long, or fails, holds up no other.
    const connection = stack.use(new OwnConnection(options));
    return new Remembered({ ...times, onFailure }, async () => await connection.ask(question));
  };
  const probe = remember({ everyMs: ASKED_EVERY_MS, keptMs: 0 }, requireReady);
  const backlog = remember(
    { everyMs: ASKED_EVERY_MS, keptMs: BACKLOG_KEPT_MS },
    async (db) => await readAll(db, options.backlogs, clock.now()),
  );
  const sizes = remember(
    { everyMs: SIZES_EVERY_MS, keptMs: 2 * SIZES_EVERY_MS },
    readDatabaseSizes,
  );
  const ifUp = async <Value>(remembered: Remembered<Value>): Promise<Value | undefined> => {
    const [isUp, value] = await Promise.all([probe.get(), remembered.get()]);
    return isUp === true ? value : undefined;
  };
  const readBacklog = async () => (await ifUp(backlog)) ?? [];
  const readSizes = async () => await ifUp(sizes);
  stack.use(
    databaseUp.observe(async () => [
      { value: Number((await probe.get()) === true), labels: noLabels },
    ]),
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

/** Throws where it does not answer, so that a connection that only looks alive is given up. */
async function requireReady(db: Db): Promise<true> {
  if (await isDatabaseReady(db)) return true;
  throw new Error("The database does not answer.");
}

async function readAll(
  db: Db,
  backlogs: readonly ReadBacklog[],
  now: Date,
): Promise<readonly Backlog[]> {
  const found: Backlog[] = [];
  for (const read of backlogs) found.push(...(await read(db, now)));
  return found;
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
    try {
      const answer = await inTime(ANSWER_WITHIN_MS, asOne(question(db)));
      if (answer === undefined) throw new Error("The database did not answer in time.");
      return answer.value;
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

/** Tells an answer of undefined from none. */
async function asOne<Answer>(answer: Promise<Answer>): Promise<{ readonly value: Answer }> {
  return { value: await answer };
}
