import { setTimeout as sleep } from "node:timers/promises";
import { AppError, type EnvironmentContext, MINUTE, SECOND } from "#platform";
import type { Patience } from "../call.ts";
import { quotaWaiting } from "../hooks.ts";
import type { QuotaOwner } from "./quotas.ts";
import { traffic } from "./traffic.ts";

const LONGEST_BACKGROUND_WAIT_MS = 10 * MINUTE;
// Behind interactive calls that wait for the same moment, and one after the other.
const BACKGROUND_DELAY_MS = 100;
const BACKGROUND_SPREAD_MS = 20;
// Shorter waits are over before somebody looks, and a write for each would cost more than it says.
const WORTH_TELLING_MS = 5 * SECOND;

/** Holds a call back while the provider's quota is used up; milliseconds waited. Throws too_many_request. */
export async function waitForQuota(
  ctx: EnvironmentContext,
  owner: QuotaOwner,
  patience: Patience,
): Promise<number> {
  if (patience.kind === "none") return 0;
  const { quotas, queue } = traffic.of(ctx);
  const startedMs = ctx.clock.now().getTime();
  const longest = patience.kind === "bounded" ? patience.waitMs : LONGEST_BACKGROUND_WAIT_MS;
  let toldUntil = 0;
  for (;;) {
    const nowMs = ctx.clock.now().getTime();
    const until = quotas.blockedUntil(owner, nowMs);
    const waited = nowMs - startedMs;
    if (until === 0) return waited;
    const left = longest - waited;
    if (patience.kind === "bounded" && until - nowMs > left) throw refuse(until - nowMs);
    if (left <= 0) return waited;
    if (until - nowMs >= WORTH_TELLING_MS && until !== toldUntil) {
      toldUntil = until;
      await tell(ctx, until);
    }
    const place = patience.kind === "background" ? queue.enter(owner.integrationId) : undefined;
    const extra =
      place === undefined ? 0 : BACKGROUND_DELAY_MS + BACKGROUND_SPREAD_MS * place.position;
    try {
      await sleep(Math.min(until - nowMs + extra, Math.max(left, 1)), undefined, {
        signal: ctx.signal,
      });
    } finally {
      place?.leave();
    }
  }
}

/** Who looks at the run learns why it stands still; that it cannot be written down does not end the wait. */
async function tell(ctx: EnvironmentContext, until: number): Promise<void> {
  if (ctx.actor.kind !== "function") return;
  const { runId } = ctx.actor;
  try {
    await ctx.hooks.tell(quotaWaiting, ctx, { runId, until: new Date(until) });
  } catch (error) {
    ctx.log.warn("proxy.quota_wait_not_noted", { runId, error });
  }
}

function refuse(waitMs: number): AppError {
  return new AppError(
    "too_many_request",
    "The provider's rate limit is used up for longer than Rate-Limit-Wait allows.",
    { headers: { "Retry-After": String(Math.max(1, Math.ceil(waitMs / SECOND))) } },
  );
}
