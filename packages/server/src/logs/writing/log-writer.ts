import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import {
  type EnvironmentContext,
  type EnvironmentId,
  type OperationId,
  reasonOf,
  type SystemContext,
  serverState,
  within,
} from "#foundation";
import { commonDb, type Db } from "#foundation/db";
import { defineCounter } from "#foundation/instruments";
import { type LogServer, logServer } from "../log-server.ts";
import {
  addUsage,
  type CallRow,
  endOperations,
  insertCalls,
  insertMessages,
  insertOperations,
  type RowJson,
  upsertNotes,
} from "../store.ts";
import { DayUsage, type UsageKind } from "./day-usage.ts";
import { DistributedLog } from "./distributed-log.ts";
import { type Entry, FairBuffer } from "./fair-buffer.ts";
import { LeftOut, type LeftOutNote, type LeftOutReason } from "./left-out.ts";
import { OpenOperations } from "./open-operations.ts";

const FLUSH_AFTER_MS = 200;
const RETRY_AFTER_MS = 1000;
const BATCH_ROWS = 500;
const BATCH_CHARACTERS = 4 * 1024 * 1024;
/** Operations and messages wait apart, so that messages never take the room of operations. */
const BUFFER_LIMITS = { total: 32 * 1024 * 1024, each: 8 * 1024 * 1024 };
// What a row takes in memory and in an index, next to its texts.
const ROW_CHARACTERS = 200;

type OperationItem =
  | { readonly kind: "row"; readonly json: RowJson }
  | { readonly kind: "end"; readonly id: OperationId; readonly json: RowJson }
  | { readonly kind: "call"; readonly call: CallRow };
interface MessageItem {
  readonly operationId: OperationId;
  readonly json: RowJson;
}
type WritingContext = Pick<EnvironmentContext, "environment" | "settings" | "clock">;

/** Rows that wait, and whether the last try to write found the log away. */
export interface LogState {
  readonly isAway: boolean;
  readonly operations: number;
  readonly messages: number;
}

interface WriterOptions extends Pick<SystemContext, "log" | "clock" | "state"> {
  /** Undefined: the log is in the database of everything else. */
  readonly server: LogServer | undefined;
}

/** Rows on their way to the log tables: written in batches, fairly between environments, bounded, lost at most by a kill. */
export class LogWriter {
  readonly #log: SystemContext["log"];
  readonly #clock: SystemContext["clock"];
  readonly #server: LogServer | undefined;
  readonly #distributed: DistributedLog;
  /** Of everything else: how much is logged is counted there, wherever the log is. */
  #first: Db | undefined;
  #hasEnded = false;
  readonly #operations = new FairBuffer<OperationItem>(BUFFER_LIMITS, ({ environmentId }) =>
    this.#leaveOut(this.#fullFor(), environmentId, undefined),
  );
  readonly #messages = new FairBuffer<MessageItem>(BUFFER_LIMITS, ({ environmentId, item }) =>
    this.#leaveOut(this.#fullFor(), environmentId, item.operationId),
  );
  readonly #leftOut = new LeftOut();
  readonly #lines = new LineCounts();
  readonly #usage = new DayUsage();
  readonly #open: OpenOperations;
  #leftOutRows = 0;
  /** Since the last attempt. */
  #isAway = false;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<boolean> | undefined;

  constructor({ log, clock, state, server }: WriterOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#server = server;
    this.#distributed = new DistributedLog({ clock, state, log, hasServer: server !== undefined });
    this.#open = new OpenOperations({
      ...{ log, findDb: () => this.#findDb(), distributed: this.#distributed },
    });
  }

  get state(): LogState {
    const [operations, messages] = [this.#operations.count, this.#messages.count];
    return { isAway: this.#isAway, operations: operations + this.#open.count, messages };
  }

  /** Those that have begun and will be written when they end, unless that takes long. */
  get open(): OpenOperations {
    return this.#open;
  }

  /** Transactions are not written through: they may end, or be undone, before the rows are. */
  useDatabase(db: Db): void {
    if (this.#first === undefined && !db.isTransaction) this.#first = db;
  }

  #findDb(): Db | undefined {
    if (this.#hasEnded) return undefined;
    return this.#server === undefined ? this.#first : this.#server.db;
  }

  pushMessage(ctx: WritingContext, operationId: OperationId, json: RowJson): void {
    const { id } = ctx.environment;
    const size = json.length + ROW_CHARACTERS;
    if (!this.#lines.add(operationId, ctx.settings.logRunLines)) {
      this.#leaveOut("run_lines", id, operationId);
    } else if (!this.#charge(ctx, "messages", size)) {
      this.#leaveOut("day_bytes", id, operationId);
    } else {
      this.#messages.push({ environmentId: id, item: { operationId, json }, size });
    }
    this.#writeSoon(FLUSH_AFTER_MS);
  }

  pushOperation(ctx: WritingContext, json: RowJson): void {
    this.#pushOperation(ctx, { kind: "row", json }, json.length + ROW_CHARACTERS);
  }

  /** Of an operation that was begun: however much the environment has logged, it is there. */
  pushEnd({ environment }: WritingContext, id: OperationId, json: RowJson): void {
    const item = this.#open.withdraw(id)
      ? ({ kind: "row", json } as const)
      : ({ kind: "end", id, json } as const);
    const size = json.length + ROW_CHARACTERS;
    this.#operations.push({ environmentId: environment.id, item, size });
    this.#writeSoon(FLUSH_AFTER_MS);
  }

  pushCall(ctx: WritingContext, call: CallRow): void {
    this.#pushOperation(ctx, { kind: "call", call }, call.url.length + 2 * ROW_CHARACTERS);
  }

  /**
   * Resolves when all that waited at the call, or of it what one environment had, is written or, the database being
   * away, could not be. What could not is kept within bounds and tried again.
   */
  async flush(environmentId?: EnvironmentId): Promise<void> {
    await this.#open.write(environmentId);
    await this.#flush(environmentId);
  }

  async #flush(environmentId?: EnvironmentId): Promise<void> {
    const [operations, messages] = [this.#operations.pushed, this.#messages.pushed];
    // Counted down, for under a flood there are always more.
    let noteBatches = Math.ceil(this.#leftOut.size / BATCH_ROWS);
    const waits = (): boolean =>
      this.#operations.hasUpTo(operations, environmentId) ||
      this.#messages.hasUpTo(messages, environmentId) ||
      noteBatches > 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing;
    for (let db = this.#findDb(); db !== undefined && waits(); db = this.#findDb()) {
      this.#flushing ??= this.#write(db).finally(() => {
        this.#flushing = undefined;
      });
      if (!(await this.#flushing)) break;
      noteBatches -= 1;
    }
    await this.#flushing;
    const waiting = this.#operations.size + this.#messages.size;
    if (waiting > 0 && !this.#hasEnded) this.#writeSoon(FLUSH_AFTER_MS);
  }

  /** Writes what it can within the time; what is left then is lost with the process, and the operator's log says so. */
  async end(withinMs: number): Promise<void> {
    await within(withinMs, this.flush());
    const [operations, messages] = [this.#operations.count, this.#messages.count];
    if (operations + messages > 0) this.#log.error("logs.rows_lost", { operations, messages });
  }

  #pushOperation(ctx: WritingContext, item: OperationItem, size: number): void {
    const { id } = ctx.environment;
    if (this.#charge(ctx, "operations", size)) {
      this.#operations.push({ environmentId: id, item, size });
    } else {
      this.#leaveOut("day_bytes", id, undefined);
    }
    this.#writeSoon(FLUSH_AFTER_MS);
  }

  #charge({ environment, settings, clock }: WritingContext, kind: UsageKind, bytes: number) {
    const limit = settings.logDayBytes;
    return this.#usage.charge(environment.id, { kind, bytes, limit, now: clock.now() });
  }

  #leaveOut(reason: LeftOutReason, id: EnvironmentId, operationId: OperationId | undefined): void {
    this.#leftOutRows += 1;
    leftOutRows.add(1, { reason });
    this.#leftOut.add(id, operationId, { reason, now: this.#clock.now() });
  }

  #fullFor(): LeftOutReason {
    return this.#isAway ? "database_away" : "busy";
  }

  #writeSoon(afterMs: number): void {
    // What waits is no reason to continue when all else has stopped.
    this.#timer ??= setTimeout(() => void this.#flush(), afterMs).unref();
  }

  /** One batch of each kind, operations first; false when the database took none of what was tried. */
  async #write(db: Db): Promise<boolean> {
    if (this.#leftOutRows > 0) this.#log.warn("logs.rows_left_out", { count: this.#leftOutRows });
    this.#leftOutRows = 0;
    const isLeft = (id: EnvironmentId) => this.#distributed.isPassedOver(id);
    const operations = this.#operations.take(BATCH_ROWS, BATCH_CHARACTERS, isLeft);
    if (!(await this.#insertBatch(db, operations, this.#operations, insertOperationItems))) {
      return false;
    }
    const messages = this.#messages.take(BATCH_ROWS, BATCH_CHARACTERS, isLeft);
    if (!(await this.#insertBatch(db, messages, this.#messages, insertMessageItems))) return false;
    const notes = this.#leftOut.take(BATCH_ROWS, isLeft);
    const isWritten = await this.#writeCounts(db, notes);
    // All that is left waits for servers of a cluster that did not answer.
    return isWritten && operations.length + messages.length + notes.length > 0;
  }

  /** What was left out, and how much was written. */
  async #writeCounts(db: Db, notes: readonly LeftOutNote[]): Promise<boolean> {
    const usage = this.#usage.take(BATCH_ROWS);
    const first = this.#first;
    const results = await Promise.allSettled([
      notes.length > 0 ? this.#writeNotes(db, notes) : undefined,
      usage.length > 0 && first !== undefined ? addUsage(first, usage) : undefined,
    ]);
    const [noted, added] = results;
    if (noted.status === "rejected") this.#leftOut.putBack(notes);
    if (added.status === "rejected") this.#usage.putBack(usage);
    else this.#usage.learn(added.value ?? []);
    const failed = results.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") {
      this.#log.warn("logs.counts_failed", { reason: reasonOf(failed.reason) });
    }
    return failed === undefined;
  }

  async #writeNotes(db: Db, notes: readonly LeftOutNote[]): Promise<void> {
    this.#leftOut.putBack(await this.#distributed.write(db, notes, upsertNotes));
  }

  /** What a server of a cluster holds up waits alone. */
  async #insertFairly<Item>(
    db: Db,
    entries: readonly Entry<Item>[],
    buffer: FairBuffer<Item>,
    insert: (db: Db, entries: readonly Entry<Item>[]) => Promise<void>,
  ): Promise<void> {
    buffer.putBack(await this.#distributed.write(db, entries, insert));
  }

  /** False when the database is away: the entries wait again. */
  async #insertBatch<Item>(
    db: Db,
    entries: readonly Entry<Item>[],
    buffer: FairBuffer<Item>,
    insert: (db: Db, entries: readonly Entry<Item>[]) => Promise<void>,
  ): Promise<boolean> {
    if (entries.length === 0) return true;
    try {
      await this.#insertFairly(db, entries, buffer, insert);
      this.#isAway = false;
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      if (!isTransient(error)) {
        if (entries.length === 1) {
          this.#log.warn("logs.row_refused", { reason });
          leftOutRows.add(1, { reason: "refused" });
          return true;
        }
        // One row that Postgres refuses must not take its neighbours with it.
        const half = Math.ceil(entries.length / 2);
        const isWritten = await this.#insertBatch(db, entries.slice(0, half), buffer, insert);
        if (isWritten) return await this.#insertBatch(db, entries.slice(half), buffer, insert);
        buffer.putBack(entries.slice(half));
        return false;
      }
      buffer.putBack(entries);
      this.#isAway = true;
      if (isEnded(reason)) {
        const rows = this.#operations.count + this.#messages.count;
        this.#log.error("logs.rows_lost", { rows, reason });
        leftOutRows.add(rows, { reason: "lost" });
        this.#hasEnded = true;
        return false;
      }
      this.#log.warn("logs.write_failed", { rows: entries.length, reason });
      await sleep(RETRY_AFTER_MS);
      return false;
    }
  }
}

async function insertOperationItems(
  db: Db,
  entries: readonly Entry<OperationItem>[],
): Promise<void> {
  const rows = entries.flatMap(({ item }) => (item.kind === "row" ? [item.json] : []));
  const calls = entries.flatMap(({ item }) => (item.kind === "call" ? [item.call] : []));
  // By id, for a statement does not take one twice: the first end counts.
  const ends = new Map<OperationId, RowJson>();
  for (const { item } of entries.toReversed()) {
    if (item.kind === "end") ends.set(item.id, item.json);
  }
  if (rows.length > 0) await insertOperations(db, rows);
  if (ends.size > 0) await endOperations(db, [...ends.values()]);
  if (calls.length > 0) await insertCalls(db, calls);
}

async function insertMessageItems(db: Db, entries: readonly Entry<MessageItem>[]): Promise<void> {
  await insertMessages(
    db,
    entries.map(({ item }) => item.json),
  );
}

/** SQLSTATE classes of a database that is away, full, busy or starting; rows are not at fault. */
const transientClasses: ReadonlySet<string> = new Set(["08", "25", "40", "53", "55", "57"]);

/** The server has stopped, and with it its pool of connections. */
function isEnded(reason: string): boolean {
  return /pool after calling end|driver has already been destroyed/.test(reason);
}

/** Errors of the network have no SQLSTATE at all. */
function isTransient(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isFromPostgres = /^[0-9A-Z]{5}$/.test(code) && code !== "EPIPE";
  return !isFromPostgres || transientClasses.has(code.slice(0, 2));
}

type Owner = Pick<SystemContext, "state" | "db" | "log" | "clock">;

const writer = serverState(
  (owner: Omit<Owner, "db">) => new LogWriter({ ...owner, server: logServer.of(owner) }),
);

export function logWriterOf(ctx: Owner): LogWriter {
  const own = writer.of(ctx);
  own.useDatabase(commonDb(ctx.db));
  return own;
}

const leftOutRows = defineCounter({
  name: "svc_log_rows_dropped_total",
  help: "Rows missing from the log of operations, by reason: limits of an operation or a day, too many at once, refused or lost.",
  unit: "{row}",
  labels: ["reason"],
});

const MOST_OPERATIONS = 50_000;

/** Lines of the operations that logged last. */
class LineCounts {
  readonly #counts = new LRUCache<OperationId, number>({ max: MOST_OPERATIONS });

  /** Counts one more line; false when the operation has had `limit` of them. */
  add(operationId: OperationId, limit: number): boolean {
    const count = (this.#counts.get(operationId) ?? 0) + 1;
    if (count > limit) return false;
    this.#counts.set(operationId, count);
    return true;
  }
}
