import { subjectOf } from "#connections";
import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { recordOperation } from "#logs";
import { notifyDue } from "#tasks";
import { cancelRuns } from "../runs/cancel-runs.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { type NamedSync, updateSyncs } from "../store.ts";
import { changeInPages } from "./change-in-pages.ts";
import { getTargetSyncs, type SyncTarget, type TargetSyncs } from "./find-target-syncs.ts";

/** Takes syncs off their schedule; runs in progress are cancelled. */
export async function pauseSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTargetSyncs(ctx, target);
  await changeInPages(ctx, found.syncs, async (ctx, syncs) => {
    const change = { ids: syncs.map(({ id }) => id), paused: true, followUp: null };
    await updateSyncs(ctx.db, ctx.environment.id, change, ctx.clock.now());
    return await cancelRuns(ctx, syncs);
  });
  for (const named of found.syncs) logChange(ctx, found, named, "pause");
}

/** Puts syncs on their schedule again; a slot that passed meanwhile is made up for at once. */
export async function startSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTargetSyncs(ctx, target);
  await changeInPages(ctx, found.syncs, async (ctx, syncs) => {
    const change = { ids: syncs.map(({ id }) => id), paused: false };
    await updateSyncs(ctx.db, ctx.environment.id, change, ctx.clock.now());
    return [];
  });
  for (const named of found.syncs) logChange(ctx, found, named, "unpause");
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
