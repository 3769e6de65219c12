import { type Logger, reasonOf, SECOND } from "#foundation";
import type { Db } from "#foundation/db";
import type { PoolFacts } from "./pool-watch.ts";
import { countOverdueJobs, releaseLostJobs } from "./store.ts";

/** The worker pool of one queue. */
export interface CheckedPool {
  readonly queue: string;
  readonly taskNames: readonly string[];
  facts(): PoolFacts | undefined;
  replace(reason: string): void;
}

export interface PoolCheckOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly pools: readonly CheckedPool[];
  /** A due job that waits for longer while its pool asks for none shows that the pool has stopped working. */
  readonly overdueMs: number;
  /** A job that its pool has held in the table for longer without knowing of it was lost on the way. */
  readonly lostAfterMs: number;
}

const CHECKS_PER_LIMIT = 4;

/** Finds pools that live and do no work, and jobs whose fetching was answered into a broken connection. */
export class PoolCheck implements AsyncDisposable {
  readonly #options: PoolCheckOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stalled = new Set<CheckedPool>();
  #running: Promise<void> | undefined;

  constructor(options: PoolCheckOptions) {
    this.#options = options;
    const shortest = Math.min(options.overdueMs, options.lostAfterMs);
    this.#timer = setInterval(() => this.#start(), Math.max(shortest / CHECKS_PER_LIMIT, 50));
  }

  /** Queues whose due jobs nobody fetches, by name. */
  get stalledQueues(): readonly string[] {
    return [...this.#stalled].map((pool) => pool.queue);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** One check at a time: a slow database gathers none. */
  #start(): void {
    this.#running ??= this.#check()
      .catch((error: unknown) =>
        this.#options.log.warn("tasks.check_failed", { reason: reasonOf(error) }),
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #check(): Promise<void> {
    for (const pool of this.#options.pools) {
      await this.#releaseLost(pool);
      await this.#replaceStalled(pool);
    }
  }

  async #releaseLost(pool: CheckedPool): Promise<void> {
    const { db, log, lostAfterMs } = this.#options;
    const facts = pool.facts();
    if (facts?.poolId === undefined) return;
    const { poolId, heldJobIds } = facts;
    const jobs = await releaseLostJobs(db, { poolId, heldJobIds, lostAfterMs });
    if (jobs.length > 0) log.warn("tasks.jobs_given_back", { queue: pool.queue, jobs });
  }

  async #replaceStalled(pool: CheckedPool): Promise<void> {
    const { db, log, overdueMs } = this.#options;
    const facts = pool.facts();
    const isIdle = facts === undefined || facts.idleMs > overdueMs;
    const overdue = isIdle ? await countOverdueJobs(db, pool.taskNames, overdueMs) : 0;
    if (overdue === 0) {
      this.#stalled.delete(pool);
      return;
    }
    this.#stalled.add(pool);
    log.error("tasks.pool_stalled", {
      queue: pool.queue,
      overdue,
      idleSeconds: facts === undefined ? undefined : Math.round(facts.idleMs / SECOND),
    });
    pool.replace(`${overdue} due jobs waited while it asked for none`);
  }
}
