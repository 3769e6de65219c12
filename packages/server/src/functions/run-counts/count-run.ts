import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  type OperationId,
  reasonOf,
  SECOND,
  type SystemContext,
  serverState,
  within,
} from "#platform";
import { commonDb, type Db } from "#platform/db";
import { addRunCounts, deleteRunCounts, type RunCount } from "./store.ts";

// Counts are for people who look at a day; a process writes them at most this often.
const FLUSH_AFTER_MS = 5 * SECOND;
/** As many functions and hours wait while the database is away; what comes on top is not counted. */
const MOST_WAITING = 20_000;
const KEPT_MS = 2 * DAY;

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

/** Counts on their way to the table: summed up in memory, lost at most by a kill. */
class RunCounter {
  #waiting = new Map<string, RunCount>();
  #timer: NodeJS.Timeout | undefined;
  #db: Db | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #log: Owner["log"];

  constructor(log: Owner["log"]) {
    this.#log = log;
  }

  add(db: Db, count: RunCount): void {
    this.#db ??= db;
    const key = `${count.environmentId} ${count.functionId} ${count.hour}`;
    const known = this.#waiting.get(key);
    if (known === undefined && this.#waiting.size >= MOST_WAITING) return;
    const runs = (known?.runs ?? 0) + count.runs;
    const failures = (known?.failures ?? 0) + count.failures;
    const last = known !== undefined && known.lastAt > count.lastAt ? known : count;
    this.#waiting.set(key, { ...last, runs, failures });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  /** Writes what waits, after what is being written; what could not be written is kept for the next time. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => await this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    const db = this.#db;
    const counts = [...this.#waiting.values()];
    if (db === undefined || counts.length === 0) return;
    this.#waiting = new Map();
    try {
      await addRunCounts(db, counts);
    } catch (error) {
      this.#log.warn("functions.counts_delayed", { reason: reasonOf(error) });
      for (const count of counts) this.add(db, count);
    }
  }
}

const counter = serverState(({ log }: Pick<EnvironmentContext, "log">) => new RunCounter(log));

/** Counts a run that ended, in the hour in which it did; nothing is written yet. */
export function countRunOf(
  ctx: EnvironmentContext,
  ended: { functionId: number; operationId: OperationId; isSuccess: boolean },
): void {
  const now = ctx.clock.now();
  const hour = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  counter.of(ctx).add(commonDb(ctx.db), {
    environmentId: ctx.environment.id,
    functionId: ended.functionId,
    hour: hour.toISOString(),
    runs: 1,
    failures: ended.isSuccess ? 0 : 1,
    lastAt: now.toISOString(),
    lastSucceeded: ended.isSuccess,
    lastOperationId: ended.operationId,
  });
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushRunCounts(ctx: Owner): Promise<void> {
  // A database that is away holds up neither; the counts are kept.
  await within(3 * SECOND, counter.of(ctx).flush());
}

/** Lists show a day; the last hour of each function stays, for its last run. */
export async function deleteOldRunCounts(ctx: SystemContext): Promise<void> {
  await deleteRunCounts(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
}
