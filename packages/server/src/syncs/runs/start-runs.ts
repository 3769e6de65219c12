import { type InstallationContext, newTimeId, type RunId } from "#platform";
import { enqueueTask } from "#tasks";
import type { NextRun, RunCause, Sync } from "../sync.ts";
import { syncTasks } from "../tasks.ts";
import { insertRuns } from "./store.ts";

/** Starts a run for each sync, in the transaction that holds their rows; none of them may be running. */
export async function startRuns(ctx: InstallationContext, syncs: readonly Sync[]): Promise<void> {
  if (syncs.length === 0) return;
  const now = ctx.clock.now();
  const runs = syncs.map((sync) => ({
    id: newTimeId<RunId>(now),
    sync,
    trigger: causeOf(sync.followUp),
  }));
  await insertRuns(ctx.db, runs, now);
  for (const { id, sync } of runs) {
    const payload = { environmentId: sync.environmentId, runId: id };
    await enqueueTask(ctx, syncTasks.run, payload, { key: id });
  }
}

function causeOf(followUp: NextRun | null): RunCause {
  if (followUp === null) return { by: "schedule" };
  const { reset: _, ...cause } = followUp;
  return cause;
}
