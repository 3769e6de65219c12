import type { EnvironmentContext, RunId } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import { cancelRuns, stopRuns } from "../runs/cancel-runs.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { lockSync, updateSync } from "../store.ts";
import { joinWishes, type RunWish, type Sync } from "../sync.ts";
import { getTargetSyncs, type SyncTarget } from "./find-target-syncs.ts";
import { resetSync } from "./reset-sync.ts";

/** Runs syncs now, paused ones too; those that run get one follow-up, however often they are triggered. */
export async function triggerSyncs(
  ctx: EnvironmentContext,
  { wish, ...target }: SyncTarget & { wish: RunWish },
): Promise<void> {
  const { syncs } = await getTargetSyncs(ctx, target);
  for (const { id } of syncs) {
    const stopped = await withTransaction(ctx, async (ctx) => {
      const sync = await lockSync(ctx.db, ctx.environment.id, id);
      return sync === undefined || sync.deletedAt !== null
        ? []
        : await triggerSync(ctx, sync, wish);
    });
    stopRuns(ctx, stopped);
  }
}

/** One sync, whose row the caller has locked; answers the runs that have to stop for it. */
export async function triggerSync(
  ctx: EnvironmentContext,
  sync: Sync,
  wish: RunWish,
): Promise<RunId[]> {
  if (sync.runningRunId !== null) {
    const followUp = joinWishes(sync.followUp, wish);
    await updateSync(ctx.db, ctx.environment.id, sync.id, { followUp }, ctx.clock.now());
    return wish.reset ? await cancelRuns(ctx, [sync]) : [];
  }
  if (wish.reset) await resetSync(ctx, sync);
  const emptyCache = wish.reset && wish.emptyCache;
  const now = ctx.clock.now();
  const followUp = { ...joinWishes(sync.followUp, { ...wish, emptyCache }), reset: false };
  await updateSync(ctx.db, ctx.environment.id, sync.id, { followUp, nextRunAt: now }, now);
  await notifyDue(ctx, DUE_SYNCS);
  return [];
}
