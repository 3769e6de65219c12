import { SECOND, type SystemContext } from "#foundation";
import { defineGauge } from "#foundation/instruments";
import { observeDatabase, type ReadBacklog } from "#foundation/telemetry";
import { findLogState } from "#logs";
import { allOf } from "#slice";
import { readJobBacklog, readKeyedBacklog, type Workers } from "#tasks";
import { slices } from "../app.ts";

const stalled = defineGauge({
  name: "svc_queue_stalled",
  help: "1 while due jobs of the queue wait although the process should fetch them; /ready then answers 503.",
  unit: "1",
  labels: ["queue"],
});
const idle = defineGauge({
  name: "svc_queue_pool_idle_seconds",
  help: "How long ago the process last asked for a job of the queue; 0 while all of its slots are taken.",
  unit: "s",
  labels: ["queue"],
});
const sandboxProcesses = defineGauge({
  name: "svc_sandbox_processes",
  help: "Processes of functions, running or idle.",
  unit: "{process}",
  labels: ["state"],
});
const waitingLogRows = defineGauge({
  name: "svc_log_rows_waiting",
  help: "Rows of the log of operations that wait to be written: a bounded number, and more than a few only while the log is unreachable.",
  unit: "{row}",
  labels: ["table"],
});
const isolation = defineGauge({
  name: "svc_sandbox_isolation",
  help: "1 for the isolation level of functions on this server.",
  unit: "1",
  labels: ["level"],
});

/** Without a pool for so long the queue counts as one that is asked for nothing. */
const NO_POOL_MS = 60 * SECOND;

export interface Observing {
  readonly workers: Workers | undefined;
  /** Through which the database is asked; undefined where another process does that. */
  readonly database: { readonly connectionString: string; readonly pooled: boolean } | undefined;
}

/** Shows what a running app knows of itself to who reads metrics, until disposed. */
export function observeApp(ctx: SystemContext, { workers, database }: Observing): AsyncDisposable {
  const { sandbox, clock, log } = ctx;
  const stack = new AsyncDisposableStack();
  stack.use(
    waitingLogRows.observe(() => {
      const { operations, messages } = findLogState(ctx);
      return [
        { value: operations, labels: { table: "operations" } },
        { value: messages, labels: { table: "messages" } },
      ];
    }),
  );
  stack.use(
    sandboxProcesses.observe(() => {
      const { children, idle } = sandbox.describe();
      return [
        { value: children - idle, labels: { state: "running" } },
        { value: idle, labels: { state: "idle" } },
      ];
    }),
  );
  stack.use(isolation.observe(() => [{ value: 1, labels: { level: sandbox.describe().level } }]));
  if (workers !== undefined) observeWorkers(stack, workers);
  if (database !== undefined) {
    stack.use(observeDatabase({ ...database, clock, log, backlogs: listBacklogs() }));
  }
  return stack;
}

/** How much work waits in the database, of every kind. */
export function listBacklogs(): readonly ReadBacklog[] {
  const tasks = allOf(slices, "keyedTasks").map(({ task }) => task.name);
  return [
    readJobBacklog,
    async (...[db, now]) => await readKeyedBacklog(db, tasks, now),
    ...allOf(slices, "backlogs"),
  ];
}

function observeWorkers(stack: AsyncDisposableStack, workers: Workers): void {
  stack.use(
    stalled.observe(() =>
      workers.idleMs.map(({ queue }) => ({
        value: Number(workers.stalledQueues.includes(queue)),
        labels: { queue },
      })),
    ),
  );
  stack.use(
    idle.observe(() =>
      workers.idleMs.map(({ queue, idleMs = NO_POOL_MS }) => ({
        value: idleMs / SECOND,
        labels: { queue },
      })),
    ),
  );
}
