import { subjectOf } from "#connections";
import { AppError, type EnvironmentContext, type RunId } from "#foundation";
import { recordOperation } from "#logs";
import { stopRuns } from "../runs/cancel-runs.ts";
import { findSubject } from "../runs/run-subject.ts";
import { requestCancel } from "../runs/store.ts";
import { hasEnded } from "../sync.ts";
import { presentRun, type SyncRun } from "./list-runs.ts";
import { findListedRun, type ListedRun } from "./store.ts";

/** Asks a run to stop, unless it has ended; throws not_found. It stops at once here, in other processes within 2 s. */
export async function cancelRun(
  ctx: EnvironmentContext,
  { id }: { id: string },
): Promise<{ isCancelled: boolean; run: SyncRun }> {
  const found = await getRun(ctx, asRunId(id));
  if (hasEnded(found)) return { isCancelled: false, run: presentRun(found) };
  await requestCancel(ctx.db, ctx.environment.id, [found.id], ctx.clock.now());
  stopRuns(ctx, [found.id]);
  await logCancel(ctx, found);
  return { isCancelled: true, run: presentRun(await getRun(ctx, found.id)) };
}

// What names no run of the environment is not found.
function asRunId(id: string): RunId {
  return id as RunId;
}

async function getRun(ctx: EnvironmentContext, id: RunId): Promise<ListedRun> {
  const run = await findListedRun(ctx.db, ctx.environment.id, id);
  if (run !== undefined) return run;
  throw new AppError("not_found", "No such run; list them with GET /syncs/{id}/runs.");
}

async function logCancel(ctx: EnvironmentContext, run: ListedRun): Promise<void> {
  const subject = await findSubject(ctx, run);
  recordOperation(ctx, {
    type: "sync",
    action: "cancel",
    message: "Run of a sync was cancelled",
    ...(subject && {
      ...subjectOf(subject.integration, subject.connection),
      function: { id: subject.fn.id, name: subject.fn.name },
    }),
    meta: { runId: run.id },
    state: "success",
    startedAt: ctx.clock.now(),
  });
}
