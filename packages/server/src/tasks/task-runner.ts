import { setTimeout as sleep } from "node:timers/promises";
import type { TaskList } from "graphile-worker";
import { AppError, reasonOf } from "#foundation";
import { traced } from "#foundation/instruments";
import type { PoolFacts } from "./pool-watch.ts";
import { QueuePool, type TaskRunnerOptions } from "./queue-pool.ts";
import type { QueueName } from "./task.ts";
import { traceparentOf } from "./traced-payload.ts";

const RESTART_AFTER_MS = 1000;

/** The worker pool of one queue; replaced when it ends by itself or stops working. */
export class TaskRunner implements AsyncDisposable {
  readonly #options: TaskRunnerOptions;
  readonly #taskList: TaskList;
  readonly #supervised: Promise<void>;
  readonly #stopping = new AbortController();
  #pool: QueuePool | undefined;

  private constructor(options: TaskRunnerOptions, taskList: TaskList, first: QueuePool) {
    this.#options = options;
    this.#taskList = taskList;
    this.#pool = first;
    this.#supervised = this.#supervise(first);
  }

  static async start(options: TaskRunnerOptions): Promise<TaskRunner> {
    const taskList = toTaskList(options);
    return new TaskRunner(options, taskList, await QueuePool.start(options, taskList));
  }

  get queue(): QueueName {
    return this.#options.queue;
  }

  get taskNames(): readonly string[] {
    return Object.keys(this.#taskList);
  }

  /** Undefined while there is no pool: it ended, and the next has not started yet. */
  facts(): PoolFacts | undefined {
    return this.#pool?.facts();
  }

  /** Replaces the pool, as when it had ended by itself. */
  replace(reason: string): void {
    this.#pool?.giveUp(reason);
  }

  /** The process stops: its statements wait less for a database that is away. */
  hurry(): void {
    this.#pool?.hurry();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#pool?.stop();
    await this.#supervised;
  }

  async #supervise(first: QueuePool): Promise<void> {
    const { log, queue } = this.#options;
    const { signal } = this.#stopping;
    const leaving = new Set<Promise<void>>();
    let pool: QueuePool | undefined = first;
    while (pool !== undefined) {
      const reason = await pool.ended;
      if (signal.aborted) break;
      this.#pool = undefined;
      log.error("tasks.pool_ended", { queue, pool: pool.id, reason });
      // Its jobs may take a while to end; others do not wait for that.
      const stopped: Promise<void> = pool.stop().finally(() => leaving.delete(stopped));
      leaving.add(stopped);
      pool = await this.#startAgain();
    }
    await Promise.all(leaving);
  }

  /** Undefined when a stop was asked for. */
  async #startAgain(): Promise<QueuePool | undefined> {
    const { log, queue } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        this.#pool = await QueuePool.start(this.#options, this.#taskList);
      } catch (error) {
        log.error("tasks.pool_start_failed", { queue, reason: reasonOf(error) });
        continue;
      }
      if (!signal.aborted) return this.#pool;
      await this.#pool.stop();
    }
    return undefined;
  }
}

function toTaskList({ tasks, log, makeContext }: TaskRunnerOptions): TaskList {
  const entries = tasks.map(({ name, handle }): [string, TaskList[string]] => [
    name,
    async (payload, { job, abortSignal }) => {
      const attempt = { number: job.attempts, isLast: job.attempts >= job.max_attempts };
      try {
        await traced(
          makeContext(abortSignal),
          {
            name: `job ${name}`,
            kind: "consumer",
            parent: traceparentOf(payload),
            attributes: { "svc.task": name, "svc.attempt": attempt.number },
            codeOf: toCode,
          },
          async (ctx) => await handle(ctx, asPayload(payload), attempt),
        );
      } catch (error) {
        log[attempt.isLast ? "error" : "warn"]("tasks.failed", {
          task: name,
          job: job.id,
          attempt: attempt.number,
          isLast: attempt.isLast,
          code: error instanceof AppError ? error.code : undefined,
          message: reasonOf(error),
          stack: error instanceof Error ? error.stack : undefined,
        });
        throw error;
      }
    },
  ]);
  return Object.fromEntries(entries);
}

function toCode(error: unknown): string {
  return error instanceof AppError ? error.code : "internal";
}

// enqueueTask has checked the payload against the same task; the queue gives it back as JSON.
function asPayload(payload: unknown): never {
  return payload as never;
}
