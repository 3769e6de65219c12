import { findCachedEnvironment } from "#environments";
import {
  AppError,
  addMs,
  type EnvironmentContext,
  reasonOf,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import type { DueClaim, DueWork } from "#tasks";
import { CANARIES, type Canary, CHECK_EVERY_MS, LONGEST_MS } from "./canary.ts";
import { compareCanary } from "./compare-canary.ts";
import { promoteCanary, rollBackCanary } from "./end-canary.ts";
import { claimCanaries, findNextCheck } from "./store.ts";

const AT_ONCE = 20;

/** Looks at each canary every few seconds, and ends it where it is worse, or was good for long enough. */
export const dueCanaries: DueWork = { name: CANARIES, restMs: 1000, claim: checkCanaries };

export async function checkCanaries(system: SystemContext): Promise<DueClaim> {
  const now = system.clock.now();
  const next = addMs(now, CHECK_EVERY_MS);
  const claimed = await claimCanaries(system.db, { now, next, limit: AT_ONCE });
  for (const canary of claimed) {
    const environment = await findCachedEnvironment(system, canary.environmentId);
    if (environment === undefined) continue;
    try {
      await checkCanary(withEnvironment(system, environment), canary);
    } catch (error) {
      // It is looked at again in some seconds, here or by another process.
      system.log.warn("functions.canary_check_failed", {
        ...{ canary: canary.id, reason: reasonOf(error) },
      });
    }
  }
  return { claimed: claimed.length, nextDueAt: await findNextCheck(system.db) };
}

async function checkCanary(ctx: EnvironmentContext, canary: Canary): Promise<void> {
  const { verdict, runs, functions } = await compareCanary(ctx, canary);
  await ctx.failpoints.hit("canaries.compared");
  if (verdict === "worse") {
    const [worst] = functions;
    const name = `${worst?.fn.integrationKey}/${worst?.fn.name}`;
    const reason = `${name} is worse than the deployed version: ${worst?.findings.join(" ")}`;
    return await unlessEnded(rollBackCanary(ctx, canary, { byItself: true, reason }));
  }
  const now = ctx.clock.now();
  if (now < canary.endsAt) return;
  const isProven = verdict === "good" && runs >= canary.settings.limits.min_runs;
  if (isProven) return await promote(ctx, canary, runs);
  if (now < addMs(canary.startedAt, LONGEST_MS)) return;
  const reason =
    verdict === "good"
      ? `After 7 days the new version had run only ${runs} times.`
      : "After 7 days it was not clear whether the new version is worse.";
  await unlessEnded(rollBackCanary(ctx, canary, { byItself: true, reason }));
}

async function promote(ctx: EnvironmentContext, canary: Canary, runs: number): Promise<void> {
  const reason = `After ${runs} runs nothing was beyond a limit.`;
  try {
    await unlessEnded(promoteCanary(ctx, canary, { byItself: true, reason }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "canary_not_possible") throw error;
    await unlessEnded(rollBackCanary(ctx, canary, { byItself: true, reason: error.message }));
  }
}

/** Somebody else may have ended it at the same time. */
async function unlessEnded(ending: Promise<void>): Promise<void> {
  try {
    await ending;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "canary_ended") throw error;
  }
}
