import { subjectOf } from "#connections";
import { recordOperation } from "#logs";
import { type EnvironmentContext, newTimeId, type OperationId } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import { cancelRuns, stopRuns } from "../runs/cancel-runs.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { lockSync, type NamedSync, updateSync } from "../store.ts";
import { getTargetSyncs, type SyncTarget, type TargetSyncs } from "./find-target-syncs.ts";

/** Takes syncs off their schedule; runs in progress are cancelled. */
export async function pauseSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTargetSyncs(ctx, target);
  for (const named of found.syncs) {
    const stopped = await withTransaction(ctx, async (ctx) => {
      const sync = await lockSync(ctx.db, ctx.environment.id, named.id);
      if (sync === undefined) return [];
      const change = { paused: true, followUp: null };
      await updateSync(ctx.db, ctx.environment.id, sync.id, change, ctx.clock.now());
      return await cancelRuns(ctx, [sync]);
    });
    stopRuns(ctx, stopped);
    logChange(ctx, found, named, "pause");
  }
}

/** Puts syncs on their schedule again; a slot that passed meanwhile is made up for at once. */
export async function startSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTargetSyncs(ctx, target);
  for (const named of found.syncs) {
    const { id } = ctx.environment;
    await updateSync(ctx.db, id, named.id, { paused: false }, ctx.clock.now());
    logChange(ctx, found, named, "unpause");
  }
  await notifyDue(ctx, DUE_SYNCS);
}

function logChange(
  ctx: EnvironmentContext,
  { integration }: TargetSyncs,
  sync: NamedSync,
  action: "pause" | "unpause",
): void {
  const now = ctx.clock.now();
  const connection = { id: sync.connectionNumber, connectionId: sync.connectionId };
  recordOperation(ctx, {
    id: newTimeId<OperationId>(now),
    type: "sync",
    action,
    message: `Sync "${sync.name}" was ${action === "pause" ? "paused" : "started"}`,
    ...subjectOf(integration, connection),
    function: { id: sync.functionId, name: sync.name },
    meta: { variant: sync.variant },
    state: "success",
    startedAt: now,
  });
}
