import type { EnvironmentId, SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { notifyDue } from "#tasks";
import { DELIVERIES } from "../delivery.ts";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { noteQueuedAgain } from "../distributed/note-deliveries.ts";
import type { Replay } from "./replay.ts";
import { findRangeBound, lockReplay, queueRangeAgain, storeProgress } from "./store.ts";

// A fifth of a second's work, so that neither locks nor the sender wait for long.
const BATCH = 5000;

/**
 * Queues the next deliveries of a replay, of a bounded number that it looks at; undefined where it has ended. What is queued and how far it got commit together.
 */
export async function replayBatch(
  ctx: SystemContext,
  { environmentId, id }: { environmentId: EnvironmentId; id: string },
): Promise<Replay | undefined> {
  return await withTransaction(ctx, async (ctx) => {
    const replay = await lockReplay(ctx.db, environmentId, id);
    if (replay === undefined) return undefined;
    const { filter, after, startedAt } = replay;
    const now = ctx.clock.now();
    const range = { filter, after };
    // Before, since what is queued again is no longer among what has failed.
    const bound = await findRangeBound(ctx.db, environmentId, range);
    const isPrepared = await areDeliveriesPrepared(ctx);
    const batch = { ...range, bound, now, endedUntil: startedAt, limit: BATCH, isPrepared };
    const queued = await queueRangeAgain(ctx.db, environmentId, batch);
    const [count, last] = [queued.length, queued.at(-1)];
    await noteQueuedAgain(ctx, environmentId, queued);
    if (count > 0) await notifyDue(ctx, DELIVERIES);
    const reached = count < BATCH ? bound : last;
    const endedAt = reached === undefined ? now : null;
    const progress = { id, replayed: replay.replayed + count, after: reached ?? last, endedAt };
    await storeProgress(ctx.db, environmentId, progress);
    await ctx.failpoints.hit("webhooks.batch_replayed");
    return { id, replayed: progress.replayed, startedAt, endedAt };
  });
}
