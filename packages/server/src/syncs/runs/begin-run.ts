import type { EnvironmentContext, RunId } from "#foundation";
import { withTransaction } from "#foundation/db";
import { newOperationId } from "#logs";
import { findCheckpoint } from "../checkpoints/store.ts";
import { lockSync } from "../store.ts";
import { checkpointKey, hasEnded, type Run, type Sync } from "../sync.ts";
import { beginAttempt, beginFirstAttempt, findRun, updateRun } from "./store.ts";

export interface Lease {
  readonly run: Run;
  readonly sync: Sync;
  /** The first attempt: nothing of its operation has been written. */
  readonly isFirst: boolean;
}

/**
 * Takes the run for this attempt; undefined when there is nothing to run any more. The queue gives a job again
 * only after its worker died or stopped, so the previous holder of the run loses it here.
 */
export async function beginRun(ctx: EnvironmentContext, runId: RunId): Promise<Lease | undefined> {
  const beginning = { id: runId, operationId: newOperationId(ctx), now: ctx.clock.now() };
  const first = await beginFirstAttempt(ctx.db, ctx.environment.id, beginning);
  return first === undefined ? await takeOver(ctx, runId) : { ...first, isFirst: true };
}

async function takeOver(ctx: EnvironmentContext, runId: RunId): Promise<Lease | undefined> {
  return await withTransaction(ctx, async ({ db, clock, environment }) => {
    const waiting = await findRun(db, environment.id, runId);
    if (waiting === undefined || waiting.syncId === null || hasEnded(waiting)) return undefined;
    const sync = await lockSync(db, environment.id, waiting.syncId);
    const run = await findRun(db, environment.id, runId);
    if (sync === undefined || run === undefined || hasEnded(run)) return undefined;
    const now = clock.now();
    if (sync.runningRunId !== runId) {
      await updateRun(db, environment.id, run, { state: "cancelled", endedAt: now });
      return undefined;
    }
    const place = { connection: sync.connectionUuid, key: checkpointKey(sync) };
    const { checkpoint } = await findCheckpoint(db, environment.id, place);
    const begun = await beginAttempt(db, environment.id, { run, checkpoint, now });
    return { run: begun, sync: { ...sync, fence: begun.fence }, isFirst: false };
  });
}
