import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Runner, type RunnerOptions, run, type TaskList } from "graphile-worker";
import { AppError, type InstallationContext, type Logger, messageOf } from "#platform";
import type { Database } from "#platform/db";
import { createQueueLogger } from "./queue-logger.ts";
import type { BoundTask, QueueName } from "./task.ts";

export type MakeContext = (signal: AbortSignal) => InstallationContext;

export interface TaskRunnerOptions {
  readonly queue: QueueName;
  readonly tasks: readonly BoundTask[];
  readonly concurrency: number;
  readonly pool: Database["pool"];
  readonly pooled: boolean;
  readonly log: Logger;
  readonly makeContext: MakeContext;
  /** Running jobs may end until then; after it their signal is aborted and they are given back. */
  readonly stopGraceMs: number;
  /** Called before the first job of a pool can be fetched. */
  readonly onPool: (poolId: string) => void;
  /** Called when it has ended; a job whose end it could not write is still locked by it. */
  readonly onPoolEnd: (poolId: string) => void;
}

// Notifications bring new jobs; polling finds repeats that have become due.
const POLL_MS = 5000;
// Each of many workers polls; what has its turn is announced.
const POLL_RUNS_MS = 15_000;
const POLL_WITHOUT_LISTEN_MS = 1000;
const RESTART_AFTER_MS = 1000;

/** One runner of the queue; started anew when it ends by itself. */
export class TaskRunner implements AsyncDisposable {
  readonly #options: TaskRunnerOptions;
  readonly #supervised: Promise<void>;
  readonly #stopping = new AbortController();
  #runner: Runner | undefined;

  private constructor(options: TaskRunnerOptions, first: Runner) {
    this.#options = options;
    this.#runner = first;
    this.#supervised = this.#supervise(first);
  }

  static async start(options: TaskRunnerOptions): Promise<TaskRunner> {
    return new TaskRunner(options, await startRunner(options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#runner?.stop().catch(() => undefined);
    await this.#supervised;
  }

  async #supervise(first: Runner): Promise<void> {
    const { log, queue } = this.#options;
    const { signal } = this.#stopping;
    let runner: Runner | undefined = first;
    while (runner !== undefined) {
      const reason = await runner.promise.then(() => "ended", messageOf);
      this.#runner = undefined;
      if (signal.aborted) return;
      log.error("tasks.runner_ended", { queue, reason });
      runner = await this.#startAgain();
    }
  }

  /** Undefined when a stop was asked for. */
  async #startAgain(): Promise<Runner | undefined> {
    const { log, queue } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        this.#runner = await startRunner(this.#options);
      } catch (error) {
        log.error("tasks.runner_start_failed", { queue, reason: messageOf(error) });
        continue;
      }
      if (!signal.aborted) return this.#runner;
      await this.#runner.stop().catch(() => undefined);
    }
    return undefined;
  }
}

async function startRunner(options: TaskRunnerOptions): Promise<Runner> {
  const { queue, concurrency, pool, pooled, log, stopGraceMs } = options;
  const events: NonNullable<RunnerOptions["events"]> = new EventEmitter();
  events.on("pool:create", ({ workerPool }) => options.onPool(workerPool.id));
  events.on("pool:release", ({ workerPool }) => options.onPoolEnd(workerPool.id));
  // A job queued between the last poll and LISTEN would wait for the next poll. The event comes
  // just before LISTEN is sent; a query sent after that is answered when listening has begun.
  events.on("pool:listen:success", ({ workerPool, client }) =>
    queueMicrotask(() => {
      client
        .query("select 1")
        .then(() => workerPool.nudge(concurrency))
        .catch(() => undefined);
    }),
  );
  return await run({
    pgPool: pool,
    events,
    taskList: toTaskList(options),
    parsedCronItems: [],
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        logger: createQueueLogger(log),
        pollInterval: pollMs(options),
        preparedStatements: !pooled,
        gracefulShutdownAbortTimeout: stopGraceMs,
        // With 0 the last completions are written before stop() resolves; without it they are not.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        // More would keep jobs from other processes, and priorities from having a say.
        ...(queue === "short" ? { localQueue: { size: concurrency } } : {}),
      },
    },
  });
}

function pollMs({ pooled, queue }: TaskRunnerOptions): number {
  if (pooled) return POLL_WITHOUT_LISTEN_MS;
  return queue === "runs" ? POLL_RUNS_MS : POLL_MS;
}

function toTaskList({ tasks, log, makeContext }: TaskRunnerOptions): TaskList {
  const entries = tasks.map(({ name, handle }): [string, TaskList[string]] => [
    name,
    async (payload, { job, abortSignal }) => {
      const attempt = { number: job.attempts, isLast: job.attempts >= job.max_attempts };
      try {
        await handle(makeContext(abortSignal), asPayload(payload), attempt);
      } catch (error) {
        log[attempt.isLast ? "error" : "warn"]("tasks.failed", {
          task: name,
          job: job.id,
          attempt: attempt.number,
          isLast: attempt.isLast,
          code: error instanceof AppError ? error.code : undefined,
          message: messageOf(error),
          stack: error instanceof Error ? error.stack : undefined,
        });
        throw error;
      }
    },
  ]);
  return Object.fromEntries(entries);
}

// enqueueTask has checked the payload against the same task; the queue gives it back as JSON.
function asPayload(payload: unknown): never {
  return payload as never;
}
