import { newTimeId, type RunId, type SystemContext } from "#foundation";
import { enqueueTasks } from "#tasks";
import type { NextRun, RunCause, Sync } from "../sync.ts";
import { syncTasks } from "../tasks.ts";
import { insertRuns } from "./store.ts";

/** Starts a run for each sync, in the transaction that holds their rows; none of them may be running. */
export async function startRuns(ctx: SystemContext, syncs: readonly Sync[]): Promise<void> {
  if (syncs.length === 0) return;
  const now = ctx.clock.now();
  const runs = syncs.map((sync) => ({
    id: newTimeId<RunId>(now),
    sync,
    trigger: { ...causeOf(sync.followUp), ...dueFor(sync, now) },
  }));
  await insertRuns(ctx.db, runs, now);
  const jobs = runs.map(({ id, sync: { environmentId } }) => ({
    payload: { environmentId, runId: id },
    key: id,
  }));
  await enqueueTasks(ctx, syncTasks.run, jobs);
}

/** Nothing for a run that comes before its time. */
function dueFor({ nextRunAt }: Sync, now: Date): Pick<RunCause, "dueForMs"> {
  const dueForMs = nextRunAt === null ? 0 : now.getTime() - nextRunAt.getTime();
  return dueForMs > 0 ? { dueForMs } : {};
}

function causeOf(followUp: NextRun | null): RunCause {
  if (followUp === null) return { by: "schedule" };
  const { reset: _, ...cause } = followUp;
  return cause;
}
