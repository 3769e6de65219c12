import type { ConnectStage } from "@jackfield/contract";
import {
  type EnvironmentContext,
  type EnvironmentId,
  reasonOf,
  SECOND,
  serverState,
  within,
} from "#platform";
import { commonDb, type Db } from "#platform/db";
import { addStageCounts, type StageCount } from "./store.ts";

// Counts are for people who look at a day; a process writes them at most this often.
const FLUSH_AFTER_MS = 5000;

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

/** Counts on their way to the table: summed up in memory, lost at most by a kill. */
class StageCounter {
  #waiting = new Map<string, StageCount>();
  #timer: NodeJS.Timeout | undefined;
  #db: Db | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #log: Owner["log"];

  constructor(log: Owner["log"]) {
    this.#log = log;
  }

  add(db: Db, count: StageCount): void {
    // A transaction may be undone, and end before the counts are written.
    if (this.#db === undefined && !db.isTransaction) this.#db = db;
    const { environmentId, provider, stage, day } = count;
    const key = JSON.stringify([environmentId, provider, stage, day]);
    const known = this.#waiting.get(key);
    const succeeded = (known?.succeeded ?? 0) + count.succeeded;
    const failed = (known?.failed ?? 0) + count.failed;
    this.#waiting.set(key, { ...count, succeeded, failed });
    this.#plan();
  }

  #plan(): void {
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
      await addStageCounts(db, counts);
    } catch (error) {
      this.#log.warn("providers.counts_delayed", { reason: reasonOf(error) });
      for (const count of counts) this.add(db, count);
    }
  }
}

const counter = serverState(({ log }: Pick<EnvironmentContext, "log">) => new StageCounter(log));

/** Counts how a stage of connecting to the provider ended, on the day it did; nothing is written yet. */
export function countStage(
  ctx: Owner & Pick<EnvironmentContext, "clock"> & { environment: { id: EnvironmentId } },
  provider: string,
): (stage: ConnectStage, outcome: "succeeded" | "failed") => void {
  return (stage, outcome) =>
    counter.of(ctx).add(commonDb(ctx.db), {
      environmentId: ctx.environment.id,
      provider,
      stage,
      day: ctx.clock.now().toISOString().slice(0, 10),
      succeeded: outcome === "succeeded" ? 1 : 0,
      failed: outcome === "failed" ? 1 : 0,
    });
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushStageCounts(ctx: Owner): Promise<void> {
  // A database that is away holds up neither; the counts are kept.
  await within(3 * SECOND, counter.of(ctx).flush());
}
