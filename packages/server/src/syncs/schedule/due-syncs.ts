import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { ceilingOf } from "#foundation/fair-slots";
import { countSlots, type DueClaim, type DueWork, tryHandOut } from "#tasks";
import {
  chooseDueSyncs,
  countRunning,
  findNextDueAt,
  lockSyncs,
  passSlots,
} from "../claim/store.ts";
import { startRuns } from "../runs/start-runs.ts";
import { DUE_SYNCS } from "./due-name.ts";

/** In one transaction, short enough to let other work on schedules in between. */
const CLAIMED_AT_ONCE = 1000;

/** Each end of a run asks for a look at the schedules. */
const REST_MS = 50;

/** The schedules as work that becomes due. */
export const dueSyncs: DueWork = { name: DUE_SYNCS, restMs: REST_MS, claim: claimDueSyncs };

/**
 * Turns due schedules into queued runs, as many as there are slots, in the order of the environments that have the
 * least of them; while another process does the same it is left to it. Slots of disabled functions pass without a run.
 */
export async function claimDueSyncs(ctx: SystemContext): Promise<DueClaim> {
  const now = ctx.clock.now();
  const nextDueAt = await findNextDueAt(ctx.db);
  if (nextDueAt === undefined || nextDueAt > now) return { claimed: 0, nextDueAt };
  const claimed = await withTransaction(ctx, async (ctx) => {
    if (!(await tryHandOut(ctx, DUE_SYNCS))) return 0;
    const slots = await countSlots(ctx);
    const room = Math.min(slots - (await countRunning(ctx.db)), CLAIMED_AT_ONCE);
    if (room <= 0) return 0;
    const share = ceilingOf(slots, ctx.settings.environmentShare);
    const ids = await chooseDueSyncs(ctx.db, { now, room, share });
    const syncs = await lockSyncs(ctx.db, ids);
    await startRuns(
      ctx,
      syncs.filter(({ enabled }) => enabled),
    );
    const disabled = syncs.filter(({ enabled }) => !enabled).map(({ id }) => id);
    await passSlots(ctx.db, disabled, now);
    return syncs.length;
  });
  return { claimed, nextDueAt };
}
