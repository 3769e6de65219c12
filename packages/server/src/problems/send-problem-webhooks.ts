import { findEnvironment, getWebhookTargets } from "#environments";
import { type EnvironmentContext, type SystemContext, withEnvironment } from "#platform";
import { sendEach } from "#webhooks-out";
import { presentProblem } from "./routes.ts";
import type { SweptProblem } from "./store.ts";

/** Queues a webhook for each problem that has opened or ended, in the transaction of the sweep, where it is wanted. */
export async function sendProblemWebhooks(
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
