import type { EnvironmentContext, RunId, SyncId } from "#foundation";
import { allowLongStatements, withTransaction } from "#foundation/db";
import { stopRuns } from "../runs/cancel-runs.ts";
import { lockSync, type NamedSync } from "../store.ts";
import type { Sync } from "../sync.ts";
import { lockFreeSyncs } from "./store.ts";

/** In one transaction, which holds their rows for some tenths of a second. */
export const AT_ONCE = 500;

/** Changes some schedules, whose rows are locked; answers the runs that have to stop for it. */
export type SyncsChange = (ctx: EnvironmentContext, syncs: readonly Sync[]) => Promise<RunId[]>;

/**
 * Changes schedules page by page: of 100,000 connections each may have one. Those that another transaction holds come
 * after their page, one by one: who waits for a row holds no other, and so is part of no deadlock.
 */
export async function changeInPages(
  ctx: EnvironmentContext,
  syncs: readonly NamedSync[],
  change: SyncsChange,
): Promise<void> {
  allowLongStatements();
  for (let at = 0; at < syncs.length; at += AT_ONCE) {
    const left = new Set(syncs.slice(at, at + AT_ONCE).map(({ id }) => id));
    const stopped = await withTransaction(ctx, async (ctx) => {
      const free = await lockFreeSyncs(ctx.db, ctx.environment.id, [...left]);
      for (const { id } of free) left.delete(id);
      return await change(ctx, free);
    });
    stopRuns(ctx, stopped);
    for (const id of left) await changeOne(ctx, id, change);
  }
}

async function changeOne(ctx: EnvironmentContext, id: SyncId, change: SyncsChange): Promise<void> {
  const stopped = await withTransaction(ctx, async (ctx) => {
    const sync = await lockSync(ctx.db, ctx.environment.id, id);
    return sync === undefined || sync.deletedAt !== null ? [] : await change(ctx, [sync]);
  });
  stopRuns(ctx, stopped);
}
