import assert from "node:assert";
import {
  DAY,
  type Logger,
  MINUTE,
  type Notices,
  reasonOf,
  SECOND,
  type SystemContext,
  within,
} from "#foundation";
import { boundedDb, isPreparedSchema, openDatabase } from "#foundation/db";
import { DueChannel } from "./due/due-channel.ts";
import { type DueLoop, type DueWork, startDueLoop } from "./due/due-loop.ts";
import { Heartbeat } from "./heartbeat.ts";
import { PoolCheck } from "./pool-check.ts";
import type { MakeContext } from "./queue-pool.ts";
import { deleteFailedJobs } from "./store.ts";
import { type BoundTask, CHORES_AT_ONCE } from "./task.ts";
import { TaskRunner } from "./task-runner.ts";

export interface WorkersOptions {
  /** Direct, not through a transaction pooler. */
  readonly connectionString: string;
  /** There is only a transaction pooler: poll each second instead of listening. */
  readonly pooled: boolean;
  readonly log: Logger;
  /** Context of one job or loop; its signal is aborted when the worker stops. */
  readonly makeContext: MakeContext;
  readonly tasks: readonly BoundTask[];
  readonly due: readonly DueWork[];
  /** Run at start and then once a day. */
  readonly daily: readonly ((ctx: SystemContext) => Promise<void>)[];
  /** The listening connection of the process; one of its own when left out. */
  readonly channel?: Notices;
  readonly choresAtOnce?: number;
  /** How many syncs may run at once in this process. */
  readonly runSlots?: number;
  /** The folder whose file system heartbeats tell of. */
  readonly dataDir?: string;
  readonly heartbeatMs?: number;
  readonly silentMs?: number;
  readonly stopGraceMs?: number;
  readonly overdueMs?: number;
  readonly lostAfterMs?: number;
}

const defaults = {
  choresAtOnce: CHORES_AT_ONCE,
  runSlots: 20,
  heartbeatMs: 8 * SECOND,
  silentMs: 20 * SECOND,
  stopGraceMs: 5 * SECOND,
  // Above the longest pause between two polls. With the pause between two checks and the start of another pool, every
  // queue works within 30 s after an outage.
  overdueMs: 20 * SECOND,
  // Longer than a statement can be silent until it is given up: by then its answer is not on its way any more.
  lostAfterMs: 20 * SECOND,
} as const;

/** At a start all tables are looked at, and each look takes a connection: so many are opened for it, and not one for each. */
const FIRST_LOOKS_AT_ONCE = 3;

/** Beyond the grace of jobs, for the statements of a stop. */
const STOP_MARGIN_MS = 10 * SECOND;

/** Next to a sync: an asynchronous action, half of a webhook's handler, and a quarter of each kind of a job and an event. */
const RUNS_PER_SLOT = 3;
/** Of each kind there is one slot at least. */
const RUNS_BESIDE = 2;

export interface Workers extends AsyncDisposable {
  /** Queues whose due jobs this process does not fetch although it should. */
  readonly stalledQueues: readonly string[];
  /** Milliseconds since each queue's pool last asked for work; undefined while there is no pool. */
  readonly idleMs: readonly { readonly queue: string; readonly idleMs: number | undefined }[];
}

/** Runs queued tasks and due work until disposed, which waits for what is running. */
export async function startWorkers(given: WorkersOptions): Promise<Workers> {
  const options = { ...defaults, ...given };
  const { connectionString, pooled, log, makeContext } = options;
  requireUniqueNames(options.tasks);
  await using stack = new AsyncDisposableStack();
  // Apart from the pool of requests, so that a busy API cannot silence the heartbeat.
  const database = stack.use(
    openDatabase({
      connectionString,
      pooled,
      maxConnections: 3,
      onError: (error) => log.warn("tasks.connection_lost", { reason: reasonOf(error) }),
    }),
  );
  const { db } = database;
  const heartbeat = stack.use(new Heartbeat({ ...options, db }));
  stack.use(startDaily(options, async () => await deleteFailedJobs(db)));

  const { runSlots } = options;
  const concurrencies = {
    chores: options.choresAtOnce,
    runs: runSlots * RUNS_PER_SLOT + RUNS_BESIDE,
  };
  const runners = (["chores", "runs"] as const).flatMap((queue) => {
    const tasks = options.tasks.filter((task) => task.queue === queue);
    const concurrency = concurrencies[queue];
    if (tasks.length === 0) return [];
    const onPool = (poolId: string) => heartbeat.add(poolId, queue === "runs" ? runSlots : 0);
    const onPoolEnd = (poolId: string) => heartbeat.remove(poolId);
    return [TaskRunner.start({ ...options, queue, tasks, concurrency, onPool, onPoolEnd })];
  });
  const started = await Promise.allSettled(runners);
  const pools = started.flatMap((it) => (it.status === "fulfilled" ? [it.value] : []));
  stack.defer(async () => {
    await Promise.all(pools.map(async (pool) => await pool[Symbol.asyncDispose]()));
  });
  for (const runner of started) if (runner.status === "rejected") throw runner.reason;
  await heartbeat.settle();
  const check = stack.use(new PoolCheck({ ...options, db, pools }));

  const channel = options.channel ?? stack.use(new DueChannel({ connectionString, log }));
  const fallback = pooled ? { fallbackMs: SECOND } : {};
  const loops: DueLoop[] = [];
  for (const [at, work] of options.due.entries()) {
    const after = loops[at - FIRST_LOOKS_AT_ONCE]?.looked;
    loops.push(stack.use(startDueLoop({ work, channel, makeContext, after, ...fallback })));
  }
  const running = stack.move();
  return {
    get stalledQueues() {
      return check.stalledQueues;
    },
    get idleMs() {
      return pools.map((pool) => ({ queue: pool.queue, idleMs: pool.facts()?.idleMs }));
    },
    async [Symbol.asyncDispose]() {
      database.hurry();
      for (const pool of pools) pool.hurry();
      // Jobs have ended by then or been given back; what hangs then hangs on the database.
      if (await within(options.stopGraceMs + STOP_MARGIN_MS, running.disposeAsync())) return;
      log.error("tasks.left_behind", { reason: "the database did not answer during the stop" });
    },
  };
}

function requireUniqueNames(tasks: readonly BoundTask[]): void {
  const names = tasks.map(({ name }) => name);
  assert(new Set(names).size === names.length, `two tasks have one name: ${names.join(", ")}`);
}

/** Of each statement of a chore where tables are distributed: longer than any takes whose servers answer. */
const CHORE_WITHIN_MS = 5 * MINUTE;

/** A server of a cluster that does not answer fails the chore that meets it, and holds up no other chore for longer. */
async function bound(ctx: SystemContext): Promise<SystemContext> {
  const isPrepared = await isPreparedSchema(ctx).catch(() => false);
  return isPrepared ? { ...ctx, db: boundedDb(ctx.db, CHORE_WITHIN_MS) } : ctx;
}

function startDaily(
  { daily, log, makeContext }: Pick<WorkersOptions, "daily" | "log" | "makeContext">,
  ownChore: () => Promise<void>,
): AsyncDisposable {
  const stopping = new AbortController();
  const unbounded = makeContext(stopping.signal);
  const runAll = async () => {
    const ctx = await bound(unbounded);
    for (const chore of [ownChore, ...daily]) {
      if (stopping.signal.aborted) return;
      await chore(ctx).catch((error: unknown) =>
        log.error("tasks.daily_failed", { chore: chore.name, reason: reasonOf(error) }),
      );
    }
  };
  let running = runAll();
  const timer = setInterval(() => {
    running = running.then(runAll);
  }, DAY);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
