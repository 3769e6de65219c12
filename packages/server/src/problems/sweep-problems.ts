import { findEnvironment, getWebhookTargets } from "#environments";
import { announceChange } from "#logs";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#platform";
import { withTransaction } from "#platform/db";
import { type DueWork, tryHandOut } from "#tasks";
import { sendEach } from "#webhooks-out";
import { presentProblem } from "./routes.ts";
import type { SweptProblem } from "./store.ts";
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

/** Queues a webhook for each problem that has opened or ended, in the transaction of the sweep, where it is wanted. */
async function sendProblemWebhooks(
  ctx: SystemContext,
  swept: readonly SweptProblem[],
): Promise<void> {
  const byEnvironment = Map.groupBy(
    swept.filter(({ change }) => change !== "changed"),
    ({ environmentId }) => environmentId,
  );
  for (const [environmentId, problems] of byEnvironment) {
    const environment = await findEnvironment(ctx, environmentId);
    if (environment === undefined) continue;
    await sendTo(withEnvironment(ctx, environment), problems);
  }
}

async function sendTo(ctx: EnvironmentContext, problems: readonly SweptProblem[]): Promise<void> {
  const { settings } = await getWebhookTargets(ctx);
  if (!settings.on_problem) return;
  const now = ctx.clock.now();
  const audible = problems.filter(({ muteUntil }) => muteUntil === null || muteUntil <= now);
  await sendEach(
    ctx,
    audible.map((problem) => ({
      type: "problem" as const,
      body: {
        from: "svc",
        type: "problem",
        operation: problem.change,
        problem: presentProblem(problem, now),
      },
    })),
  );
}
