import { announceChange } from "#logs";
import { addMs, DAY, SECOND, type SystemContext } from "#platform";
import { withTransaction } from "#platform/db";
import { type DueWork, tryHandOut } from "#tasks";
import { deleteOldProblems, sweepRows } from "./store.ts";

const SWEEP_EVERY_MS = 30 * SECOND;
const KEEP_RESOLVED_MS = 30 * DAY;

/** Opens problems whose cause is there, and resolves those whose cause has ended; in one process at a time. */
export const problemSweep: DueWork = {
  name: "problems.sweep",
  async claim(ctx) {
    await sweepProblems(ctx);
    return { claimed: 0, nextDueAt: addMs(ctx.clock.now(), SWEEP_EVERY_MS) };
  },
};

export async function sweepProblems(ctx: SystemContext): Promise<void> {
  const changed = await withTransaction(ctx, async (ctx) => {
    if (!(await tryHandOut(ctx, problemSweep.name))) return [];
    return await sweepRows(ctx.db, ctx.clock.now());
  });
  for (const environmentId of changed) announceChange(ctx, environmentId, "problems");
}

/** Called every day. */
export async function forgetOldProblems(ctx: SystemContext): Promise<void> {
  await deleteOldProblems(ctx.db, addMs(ctx.clock.now(), -KEEP_RESOLVED_MS));
}
