import { announceChange } from "#logs";
import { addMs, DAY, SECOND, type SystemContext } from "#platform";
import { withTransaction } from "#platform/db";
import { type DueWork, tryHandOut } from "#tasks";
import { sendProblemWebhooks } from "./send-problem-webhooks.ts";
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
  const swept = await withTransaction(ctx, async (ctx) => {
    if (!(await tryHandOut(ctx, problemSweep.name))) return [];
    const swept = await sweepRows(ctx.db, ctx.clock.now());
    await sendProblemWebhooks(ctx, swept);
    return swept;
  });
  const environments = new Set(swept.map(({ environmentId }) => environmentId));
  for (const environmentId of environments) announceChange(ctx, environmentId, "problems");
}

/** Called every day. */
export async function forgetOldProblems(ctx: SystemContext): Promise<void> {
  await deleteOldProblems(ctx.db, addMs(ctx.clock.now(), -KEEP_RESOLVED_MS));
}
