import type { EnvironmentContext, RunId } from "#foundation";
import { notifyDue } from "#tasks";
import { cancelRuns } from "../runs/cancel-runs.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { updateSync, updateSyncs } from "../store.ts";
import { joinWishes, type RunWish, type Sync } from "../sync.ts";
import { AT_ONCE, changeInPages } from "./change-in-pages.ts";
import { getTarget, pagesOfTarget, type SyncTarget } from "./find-target-syncs.ts";
import { resetSync } from "./reset-sync.ts";

/** Runs syncs now, paused ones too; those that run get one follow-up, however often they are triggered. */
export async function triggerSyncs(
  ctx: EnvironmentContext,
  { wish, ...target }: SyncTarget & { wish: RunWish },
): Promise<void> {
  const found = await getTarget(ctx, target);
  for await (const syncs of pagesOfTarget(ctx, found, AT_ONCE)) {
    await changeInPages(ctx, syncs, async (ctx, page) => await triggerAll(ctx, page, wish));
  }
}

/** Most are idle, and nothing was asked of them: these are changed by one statement. */
async function triggerAll(
  ctx: EnvironmentContext,
  syncs: readonly Sync[],
  wish: RunWish,
): Promise<RunId[]> {
  const isPlain = (sync: Sync) =>
    sync.runningRunId === null && sync.followUp === null && !wish.reset;
  const plain = syncs.filter(isPlain);
  const now = ctx.clock.now();
  const ids = plain.map(({ id }) => id);
  const followUp = joinWishes(null, wish);
  await updateSyncs(ctx.db, ctx.environment.id, { ids, followUp, nextRunAt: now }, now);
  if (plain.length > 0) await notifyDue(ctx, DUE_SYNCS);
  const stopped: RunId[] = [];
  for (const sync of syncs.filter((each) => !isPlain(each))) {
    stopped.push(...(await triggerSync(ctx, sync, wish)));
  }
  return stopped;
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
