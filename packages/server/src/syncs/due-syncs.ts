import type { InstallationContext } from "#platform";
import { withTransaction } from "#platform/db";
import type { DueClaim, DueWork } from "#tasks";
import { startRuns } from "./runs/start-runs.ts";
import { findNextDueAt, lockDueSyncs } from "./store.ts";

const SYNCS_PER_CLAIM = 100;

/** The schedules as work that becomes due. */
export const dueSyncs: DueWork = { name: "syncs", claim: claimDueSyncs };

/** Turns due schedules into queued runs; schedules that another process is claiming are left to it. */
export async function claimDueSyncs(ctx: InstallationContext): Promise<DueClaim> {
  const claimed = await withTransaction(ctx, async (ctx) => {
    const due = { now: ctx.clock.now(), limit: SYNCS_PER_CLAIM };
    const syncs = await lockDueSyncs(ctx.db, due);
    await startRuns(ctx, syncs, { by: "schedule" });
    return syncs.length;
  });
  return { claimed, nextDueAt: await findNextDueAt(ctx.db) };
}
