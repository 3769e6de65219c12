import { subjectOf } from "#connections";
import { recordOperation } from "#logs";
import { type EnvironmentContext, newTimeId, type OperationId, type SyncId } from "#platform";
import { allowLongStatements, withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import { cancelRuns, stopRuns } from "../runs/cancel-runs.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { type NamedSync, updateSyncs } from "../store.ts";
import { getTargetSyncs, pagesOf, type SyncTarget, type TargetSyncs } from "./find-target-syncs.ts";
import { lockSyncsOfIds } from "./store.ts";

/** Takes syncs off their schedule; runs in progress are cancelled. */
export async function pauseSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTargetSyncs(ctx, target);
  const { id: environmentId } = ctx.environment;
  allowLongStatements();
  for (const page of pagesOf(found.syncs)) {
    const stopped = await withTransaction(ctx, async (ctx) => {
      const syncs = await lockSyncsOfIds(ctx.db, environmentId, idsOf(page));
      const change = { ids: idsOf(syncs), paused: true, followUp: null };
      await updateSyncs(ctx.db, environmentId, change, ctx.clock.now());
      return await cancelRuns(ctx, syncs);
    });
    stopRuns(ctx, stopped);
    for (const named of page) logChange(ctx, found, named, "pause");
  }
}

/** Puts syncs on their schedule again; a slot that passed meanwhile is made up for at once. */
export async function startSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTargetSyncs(ctx, target);
  const { id: environmentId } = ctx.environment;
  allowLongStatements();
  for (const page of pagesOf(found.syncs)) {
    await withTransaction(ctx, async ({ db }) => {
      const ids = idsOf(await lockSyncsOfIds(db, environmentId, idsOf(page)));
      await updateSyncs(db, environmentId, { ids, paused: false }, ctx.clock.now());
    });
    for (const named of page) logChange(ctx, found, named, "unpause");
  }
  await notifyDue(ctx, DUE_SYNCS);
}

function idsOf(syncs: readonly { readonly id: SyncId }[]): SyncId[] {
  return syncs.map(({ id }) => id);
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
