import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { type Logger, reasonOf } from "#foundation";
import type { Db } from "#foundation/db";
import { returnLost } from "./keyed/store.ts";
import { deleteHeartbeats, type Room, releaseSilentPools, saveHeartbeats } from "./store.ts";

/** Undefined where the system does not say. */
async function readRoom(dataDir: string): Promise<Room | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}

export interface HeartbeatOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly heartbeatMs: number;
  /** A pool silent for longer has died; its jobs are given to others. */
  readonly silentMs: number;
  /** A folder of the file system whose free room each beat reports; undefined: none does. */
  readonly dataDir?: string | undefined;
}

/** Shows that this process's pools live, and finds those of others that do not. */
export class Heartbeat implements AsyncDisposable {
  readonly #options: HeartbeatOptions;
  readonly #process = `${hostname()}:${process.pid}`;
  readonly #pools = new Map<string, number>();
  readonly #timers: NodeJS.Timeout[];
  #running: Promise<void> = Promise.resolve();

  constructor(options: HeartbeatOptions) {
    const { heartbeatMs, silentMs } = options;
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#then(() => this.#beat()), heartbeatMs),
      // At the defaults (8 s, 20 s) each 2.4 s: a death is noticed after 23 s at most.
      setInterval(() => this.#then(() => this.#sweep()), (silentMs - heartbeatMs) / 5),
    ];
  }

  /** `slots`: how many syncs the pool may run at once. */
  add(poolId: string, slots: number): void {
    this.#pools.set(poolId, slots);
    this.#then(() => this.#beat());
  }

  /** The pool has ended: a job whose end it could not write is given to others like those of a dead one. */
  remove(poolId: string): void {
    this.#pools.delete(poolId);
    this.#then(async () => await deleteHeartbeats(this.#options.db, [poolId]));
  }

  /** Resolves when all that was asked for so far is done. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#then(async () => await deleteHeartbeats(this.#options.db, [...this.#pools.keys()]));
    await this.#running;
  }

  /** One after the other, so that a slow database gathers no queries. */
  #then(step: () => Promise<void>): void {
    this.#running = this.#running.then(step).catch((error: unknown) => {
      this.#options.log.warn("tasks.heartbeat_failed", { reason: reasonOf(error) });
    });
  }

  async #beat(): Promise<void> {
    const pools = [...this.#pools].map(([id, slots]) => ({ id, slots }));
    const { db, dataDir } = this.#options;
    const room = dataDir === undefined ? undefined : await readRoom(dataDir);
    await saveHeartbeats(db, pools, { process: this.#process, room });
  }

  async #sweep(): Promise<void> {
    const { db, log, silentMs } = this.#options;
    const silent = await releaseSilentPools(db, silentMs);
    if (silent.length > 0) log.warn("tasks.jobs_taken_over", { pools: silent });
    const lost = await returnLost(db);
    if (lost.length > 0) log.warn("tasks.turns_given_back", { tasks: lost });
  }
}
