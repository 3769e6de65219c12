import { setTimeout as sleep } from "node:timers/promises";
import { type InstallationContext, messageOf } from "#platform";
import { commonDb, type Db } from "#platform/db";
import {
  type CallRow,
  insertCalls,
  insertMessages,
  insertOperations,
  type RowJson,
} from "./store.ts";

const FLUSH_AFTER_MS = 200;
const RETRY_AFTER_MS = 1000;
const BATCH_ROWS = 500;
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024;

type Table = "operations" | "messages";
type Row = { readonly table: Table; readonly json: RowJson };
type Insert<Item> = (db: Db, rows: readonly Item[]) => Promise<void>;

const inserts: Readonly<Record<Table, Insert<RowJson>>> = {
  operations: insertOperations,
  messages: insertMessages,
};

// What a call takes in memory, beside its texts.
const CALL_CHARACTERS = 200;

/** Rows on their way to the log tables: written in batches, bounded, lost at most by a kill. */
export class LogWriter {
  readonly #log: InstallationContext["log"];
  #db: Db | undefined;
  #waiting: Row[] = [];
  #calls: CallRow[] = [];
  #size = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;

  constructor(log: InstallationContext["log"]) {
    this.#log = log;
  }

  /** Transactions are not written through: they may end, or be undone, before the rows are. */
  useDatabase(db: Db): void {
    if (this.#db === undefined && !db.isTransaction) this.#db = db;
  }

  push(table: Table, json: RowJson): void {
    if (this.#hasRoom(json.length)) this.#waiting.push({ table, json });
  }

  pushCall(call: CallRow): void {
    if (this.#hasRoom(CALL_CHARACTERS + call.url.length)) this.#calls.push(call);
  }

  #hasRoom(size: number): boolean {
    if (this.#size + size > MAX_WAITING_CHARACTERS) {
      this.#dropped += 1;
      return false;
    }
    this.#size += size;
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS);
    return true;
  }

  /** Resolves when all that waited at the call is written or, the database being away, has failed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#flushing !== undefined || (this.#db !== undefined && this.#size > 0)) {
      this.#flushing ??= this.#write().finally(() => {
        this.#flushing = undefined;
      });
      await this.#flushing;
    }
  }

  async #write(): Promise<void> {
    const db = this.#db;
    if (db === undefined) return;
    const [rows, calls] = [this.#waiting, this.#calls];
    this.#waiting = [];
    this.#calls = [];
    this.#size = 0;
    if (this.#dropped > 0) this.#log.warn("logs.rows_dropped", { count: this.#dropped });
    this.#dropped = 0;
    for (const table of ["operations", "messages"] as const) {
      const texts = rows.filter((row) => row.table === table).map((row) => row.json);
      await this.#insertAll(db, inserts[table], texts);
    }
    await this.#insertAll(db, insertCalls, calls);
  }

  async #insertAll<Item>(db: Db, insert: Insert<Item>, rows: readonly Item[]): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      await this.#insert(db, insert, rows.slice(start, start + BATCH_ROWS));
    }
  }

  async #insert<Item>(db: Db, insert: Insert<Item>, rows: readonly Item[]): Promise<void> {
    try {
      await insert(db, rows);
    } catch (error) {
      const reason = messageOf(error);
      if (!isDataError(error)) {
        this.#log.warn("logs.write_failed", { rows: rows.length, reason });
        await this.#retry(db, insert, rows);
      } else if (rows.length === 1) {
        this.#log.warn("logs.row_refused", { reason });
      } else {
        // One row that Postgres refuses must not take its neighbours with it.
        const half = Math.ceil(rows.length / 2);
        await this.#insert(db, insert, rows.slice(0, half));
        await this.#insert(db, insert, rows.slice(half));
      }
    }
  }

  async #retry<Item>(db: Db, insert: Insert<Item>, rows: readonly Item[]): Promise<void> {
    await sleep(RETRY_AFTER_MS);
    try {
      await insert(db, rows);
    } catch (error) {
      this.#log.error("logs.rows_lost", { rows: rows.length, reason: messageOf(error) });
    }
  }
}

/** SQLSTATE classes of rows that are themselves at fault: bad values, and nesting too deep. */
function isDataError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["22", "23", "54"].includes(code.slice(0, 2));
}

type Owner = Pick<InstallationContext, "keys" | "db" | "log">;

// One writer for each running server; its keys are the same object in all of its contexts.
const writers = new WeakMap<InstallationContext["keys"], LogWriter>();

export function logWriterOf(ctx: Owner): LogWriter {
  let writer = writers.get(ctx.keys);
  if (writer === undefined) {
    writer = new LogWriter(ctx.log);
    writers.set(ctx.keys, writer);
  }
  writer.useDatabase(commonDb(ctx.db));
  return writer;
}
