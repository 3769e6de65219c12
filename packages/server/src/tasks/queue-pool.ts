import { EventEmitter } from "node:events";
import {
  Logger as QueueLogger,
  type Runner,
  type RunnerOptions,
  run,
  type TaskList,
} from "graphile-worker";
import { type Logger, messageOf, reasonOf, SECOND, type SystemContext, within } from "#foundation";
import { type Database, openDatabase } from "#foundation/db";
import { nudgeAfterJobs, nudgeOneFirst, prepareListening } from "./due/nudges.ts";
import { type PoolFacts, PoolWatch } from "./pool-watch.ts";
import type { BoundTask, QueueName } from "./task.ts";

// Logged at every stop with running jobs although the rows end up right; we report "Failed task" ourselves.
const noise = [/queue is already released/, /^Failed task/, /smaller than concurrency/];

export type MakeContext = (signal: AbortSignal) => SystemContext;

export interface TaskRunnerOptions {
  readonly queue: QueueName;
  readonly tasks: readonly BoundTask[];
  readonly concurrency: number;
  /** Direct, not through a transaction pooler. */
  readonly connectionString: string;
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
// Each of many workers polls; what may start is announced.
const POLL_RUNS_MS = 15_000;
const POLL_WITHOUT_LISTEN_MS = 1000;
/** One listens, the others fetch and complete jobs. */
const CONNECTIONS = 4;
/** How long after the grace of its jobs a pool may take to end. */
const STOP_MARGIN_MS = 5 * SECOND;

/**
 * One worker pool of the library, with connections of its own. The library cannot be trusted to end one whose
 * database went away (`docs/decisions/0013-queue-pools-are-replaced.md`): `ended` settles at the first sign.
 */
export class QueuePool {
  /** Why it ended, or can no longer be relied on. */
  readonly ended: Promise<string>;
  readonly watch: PoolWatch;
  readonly #options: TaskRunnerOptions;
  readonly #database: Database;
  readonly #runner: Runner;
  readonly #giveUp: (reason: string) => void;
  #stopped: Promise<void> | undefined;

  private constructor(made: {
    options: TaskRunnerOptions;
    database: Database;
    runner: Runner;
    watch: PoolWatch;
    ending: PromiseWithResolvers<string>;
  }) {
    this.#options = made.options;
    this.#database = made.database;
    this.#runner = made.runner;
    this.watch = made.watch;
    this.ended = made.ending.promise;
    this.#giveUp = made.ending.resolve;
    this.#runner.promise.then(
      () => this.#giveUp("the pool ended"),
      (error: unknown) => this.#giveUp(messageOf(error)),
    );
  }

  static async start(options: TaskRunnerOptions, taskList: TaskList): Promise<QueuePool> {
    const { connectionString, pooled, log } = options;
    const database = openDatabase({
      connectionString,
      pooled,
      maxConnections: CONNECTIONS,
      // A job whose fetching or completion a crash of the database undoes is done again, as one whose worker died.
      waitsForDisk: false,
      onError: (error) => log.warn("tasks.connection_lost", { reason: reasonOf(error) }),
    });
    const events: NonNullable<RunnerOptions["events"]> = new EventEmitter();
    const watch = new PoolWatch(events);
    const ending = Promise.withResolvers<string>();
    events.on("pool:fatalError", ({ action, error }) =>
      ending.resolve(`${action}: ${messageOf(error)}`),
    );
    events.on("pool:gracefulShutdown", ({ message }) => ending.resolve(message));
    events.on("pool:create", ({ workerPool }) => options.onPool(workerPool.id));
    if (options.queue === "chores") nudgeOneFirst(events);
    prepareListening(events, options.concurrency);
    if (options.queue === "chores") nudgeAfterJobs(events, options.concurrency);
    try {
      const runner = await runQueue({ ...options, pool: database.pool, events, taskList });
      return new QueuePool({ options, database, runner, watch, ending });
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
  }

  get id(): string | undefined {
    return this.watch.poolId;
  }

  facts(): PoolFacts {
    return this.watch.facts(this.#options.concurrency);
  }

  /** Ends the wait for `ended`. */
  giveUp(reason: string): void {
    this.#giveUp(reason);
  }

  hurry(): void {
    this.#database.hurry();
  }

  /** Waits for its jobs, within bounds; what has not ended by then is left behind without a connection. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    await this.#stopped;
  }

  async #stop(): Promise<void> {
    const { log, queue, stopGraceMs, onPoolEnd } = this.#options;
    // The library does not wait for, or refuses to stop, what it is already ending.
    const stopping = this.#runner
      .stop()
      .catch(() => undefined)
      .then(async () => await this.#runner.promise)
      .catch(() => undefined);
    const isOver = await within(stopGraceMs + STOP_MARGIN_MS, stopping);
    if (!isOver) log.error("tasks.pool_left_behind", { queue, pool: this.id });
    // A pool that hangs never returns its connections.
    this.#database.disconnect();
    if (this.id !== undefined) onPoolEnd(this.id);
  }
}

interface QueueOptions extends TaskRunnerOptions {
  readonly pool: Database["pool"];
  readonly events: NonNullable<RunnerOptions["events"]>;
  readonly taskList: TaskList;
}

async function runQueue(options: QueueOptions): Promise<Runner> {
  const { concurrency, pool, pooled, events, taskList, log, stopGraceMs } = options;
  return await run({
    pgPool: pool,
    events,
    taskList,
    parsedCronItems: [],
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        logger: createQueueLogger(log),
        pollInterval: pollMs(options),
        preparedStatements: !pooled,
        gracefulShutdownAbortTimeout: stopGraceMs,
        // With 0 the last completions are written before stop() resolves; without it they are not, and one that
        // fails ends the process as an unhandled rejection.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
}

function pollMs({ pooled, queue }: TaskRunnerOptions): number {
  if (pooled) return POLL_WITHOUT_LISTEN_MS;
  return queue === "runs" ? POLL_RUNS_MS : POLL_MS;
}

/** The queue's own log as ours: its warnings and errors matter, its chatter does not. */
function createQueueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (noise.some((form) => form.test(message))) return;
    if (level === "error") log.error("tasks.queue_error", { message });
    else if (level === "warning") log.warn("tasks.queue_warning", { message });
    else log.debug("tasks.queue", { message });
  });
}
