import { subjectOf } from "#connections";
import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { recordOperation } from "#logs";
import { notifyDue } from "#tasks";
import { cancelRuns } from "../runs/cancel-runs.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { type NamedSync, updateSyncs } from "../store.ts";
import { AT_ONCE, changeInPages, type SyncsChange } from "./change-in-pages.ts";
import {
  type FoundTarget,
  getTarget,
  pagesOfTarget,
  type SyncTarget,
} from "./find-target-syncs.ts";

/** Takes syncs off their schedule; runs in progress are cancelled. */
export async function pauseSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTarget(ctx, target);
  await changeTarget(ctx, found, "pause", async (ctx, syncs) => {
    const change = { ids: syncs.map(({ id }) => id), paused: true, followUp: null };
    await updateSyncs(ctx.db, ctx.environment.id, change, ctx.clock.now());
    return await cancelRuns(ctx, syncs);
  });
}

/** Puts syncs on their schedule again; a slot that passed meanwhile is made up for at once. */
export async function startSyncs(ctx: EnvironmentContext, target: SyncTarget): Promise<void> {
  const found = await getTarget(ctx, target);
  await changeTarget(ctx, found, "unpause", async (ctx, syncs) => {
    const change = { ids: syncs.map(({ id }) => id), paused: false };
    await updateSyncs(ctx.db, ctx.environment.id, change, ctx.clock.now());
    return [];
  });
  await notifyDue(ctx, DUE_SYNCS);
}

type Action = "pause" | "unpause";

async function changeTarget(
  ctx: EnvironmentContext,
  found: FoundTarget,
  action: Action,
  change: SyncsChange,
): Promise<void> {
  for await (const syncs of pagesOfTarget(ctx, found, AT_ONCE)) {
    await changeInPages(ctx, syncs, change);
    for (const named of syncs) logChange(ctx, found, named, action);
  }
}

function logChange(
  ctx: EnvironmentContext,
  { integration }: FoundTarget,
  sync: NamedSync,
  action: Action,
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
