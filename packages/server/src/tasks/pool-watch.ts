import type { RunnerOptions } from "graphile-worker";
import { SECOND } from "#foundation";

/** A completion is written soon after its job; a job is not lost while that may be under way. */
const WRITING_MS = 30 * SECOND;

export interface PoolFacts {
  readonly poolId: string | undefined;
  /** Jobs that run, or whose end is being written. */
  readonly heldJobIds: readonly string[];
  /** Milliseconds since the pool last asked for a job and was answered; 0 while all of its workers are busy. */
  readonly idleMs: number;
}

/** What a worker pool does, by its events: which jobs it holds, and when it last asked for one. */
export class PoolWatch {
  poolId: string | undefined;
  readonly #running = new Set<string>();
  readonly #ended = new Map<string, number>();
  #askedAt = performance.now();

  constructor(events: NonNullable<RunnerOptions["events"]>) {
    events.on("pool:create", ({ workerPool }) => {
      this.poolId = workerPool.id;
    });
    events.on("worker:getJob:empty", () => {
      this.#askedAt = performance.now();
    });
    events.on("job:start", ({ job }) => {
      this.#askedAt = performance.now();
      this.#running.add(job.id);
    });
    events.on("job:complete", ({ job }) => {
      this.#running.delete(job.id);
      this.#ended.set(job.id, performance.now());
    });
  }

  facts(concurrency: number): PoolFacts {
    const now = performance.now();
    for (const [id, endedAt] of this.#ended) {
      if (endedAt > now - WRITING_MS) break;
      this.#ended.delete(id);
    }
    return {
      poolId: this.poolId,
      heldJobIds: [...this.#running, ...this.#ended.keys()],
      idleMs: this.#running.size >= concurrency ? 0 : now - this.#askedAt,
    };
  }
}
