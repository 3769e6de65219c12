import { addMs, DAY, MINUTE, type RunId, type SyncId, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { type DayTable, dropOldDays } from "#foundation/db/day-partitions";
import { type DueWork, enqueueTask, listUnqueued, tryHandOut } from "#tasks";
import { syncTasks } from "../tasks.ts";
import {
  deleteOldRuns,
  freeEnded,
  isRunKept,
  listLatestBefore,
  listOpenRuns,
  removeDeletedSyncs,
} from "./store.ts";

const SWEEP_EVERY_MS = MINUTE;
/** Ended runs but the latest of each sync are kept so long; operations tell of them, too. */
const KEEP_RUNS_MS = 7 * DAY;
/** In one transaction, short enough to let others in between. */
const FORGOTTEN_AT_ONCE = 10_000;
const LOOKED_AT_AT_ONCE = 1000;

/** Each minute: no run stays behind that the queue has lost, and no schedule that waits for a run that is over. */
export const syncSweep: DueWork = {
  name: "syncs.sweep",
  async claim(ctx) {
    await sweepRuns(ctx);
    return { claimed: 0, nextDueAt: addMs(ctx.clock.now(), SWEEP_EVERY_MS) };
  },
};

/** Answers how many runs were queued again and how many schedules were freed. */
export async function sweepRuns(ctx: SystemContext): Promise<{ queued: number; freed: number }> {
  return await withTransaction(ctx, async (ctx) => {
    if (!(await tryHandOut(ctx, syncSweep.name))) return { queued: 0, freed: 0 };
    const now = ctx.clock.now();
    const open = await listOpenRuns(ctx.db);
    const lost = new Set(
      await listUnqueued(
        ctx,
        open.map(({ id }) => id),
      ),
    );
    for (const { id, environmentId } of open) {
      if (!lost.has(id)) continue;
      await enqueueTask(ctx, syncTasks.run, { environmentId, runId: id }, { key: id });
    }
    const freed = await freeEnded(ctx.db, now);
    if (lost.size + freed > 0) ctx.log.warn("syncs.swept", { queued: lost.size, freed });
    return { queued: lost.size, freed };
  });
}

const runs: DayTable = { name: "runs", time: "created_at" };
export const runDayTables: readonly DayTable[] = [runs];

/** Drops the days of runs that ended long ago, and removes schedules that were deleted; called every day. */
export async function forgetOldRuns(ctx: SystemContext): Promise<void> {
  const { db, clock } = ctx;
  const kept = addMs(clock.now(), -KEEP_RUNS_MS);
  const before = new Date(Math.floor(kept.getTime() / DAY) * DAY);
  const needed = async () => isRunKept(before, { latest: await findLatestBefore(ctx, before) });
  await dropOldDays(ctx, runs, { before, needed });
  // What outlived its day.
  const limit = FORGOTTEN_AT_ONCE;
  let last = await deleteOldRuns(db, { after: undefined, before, limit });
  while (last !== undefined) last = await deleteOldRuns(db, { after: last, before, limit });
  while ((await removeDeletedSyncs(db, { before, limit })) === limit);
}

/** Page by page: of a hundred thousand syncs none of the statements takes long. */
async function findLatestBefore({ db }: SystemContext, before: Date): Promise<RunId[]> {
  const found: RunId[] = [];
  let after: SyncId | undefined;
  do {
    const { runs, last } = await listLatestBefore(db, { after, before, limit: LOOKED_AT_AT_ONCE });
    found.push(...runs);
    after = last;
  } while (after !== undefined);
  return found;
}
