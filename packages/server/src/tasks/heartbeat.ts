import { hostname } from "node:os";
import { type Logger, messageOf } from "#platform";
import type { Db } from "#platform/db";
import { deleteHeartbeats, releaseSilentPools, saveHeartbeats } from "./store.ts";

export interface HeartbeatOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly heartbeatMs: number;
  /** A pool silent for longer has died; its jobs are given to others. */
  readonly silentMs: number;
}

/** Shows that this process's pools live, and finds those of others that do not. */
export class Heartbeat implements AsyncDisposable {
  readonly #options: HeartbeatOptions;
  readonly #process = `${hostname()}:${process.pid}`;
  readonly #pools = new Set<string>();
  readonly #timers: NodeJS.Timeout[];
  #running: Promise<void> = Promise.resolve();

  constructor(options: HeartbeatOptions) {
    const { heartbeatMs, silentMs } = options;
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#then(() => this.#beat()), heartbeatMs),
      // At the defaults (10 s, 25 s) each 3 s: a death is noticed after 28 s at most.
      setInterval(() => this.#then(() => this.#sweep()), (silentMs - heartbeatMs) / 5),
    ];
  }

  add(poolId: string): void {
    this.#pools.add(poolId);
    this.#then(() => this.#beat());
  }

  /** Resolves when all that was asked for so far is done. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#then(async () => await deleteHeartbeats(this.#options.db, [...this.#pools]));
    await this.#running;
  }

  /** One after the other, so that a slow database gathers no queries. */
  #then(step: () => Promise<void>): void {
    this.#running = this.#running.then(step).catch((error: unknown) => {
      this.#options.log.warn("tasks.heartbeat_failed", { reason: messageOf(error) });
    });
  }

  async #beat(): Promise<void> {
    await saveHeartbeats(this.#options.db, [...this.#pools], this.#process);
  }

  async #sweep(): Promise<void> {
    const { db, log, silentMs } = this.#options;
    const silent = await releaseSilentPools(db, silentMs);
    if (silent.length > 0) log.warn("tasks.jobs_taken_over", { pools: silent });
  }
}
