import { AppError, type EnvironmentContext, MINUTE, SECOND } from "#foundation";
import type { Patience } from "../call.ts";
import { quotaWaiting } from "../hooks.ts";
import type { NamedBudget, QuotaOwner } from "./quotas.ts";
import { upstreamLimits } from "./upstream-limits.ts";
import type { Rank } from "./waiting-calls.ts";

const LONGEST_BACKGROUND_WAIT_MS = 10 * MINUTE;
// Shorter waits are over before somebody looks, and a write for each would cost more than it says.
const WORTH_NOTING_MS = 5 * SECOND;
const LOOK_EVERY_MS = SECOND;

/** What a call holds of the quotas that it uses. */
export interface QuotaUse {
  /** Milliseconds that the call was held back. */
  readonly waitedMs: number;
  /** The call is over; `isAccepted` where the provider's quota took it. */
  end(isAccepted: boolean): void;
}

const noUse: QuotaUse = { waitedMs: 0, end() {} };

/** Holds a call back while the provider's quota has no room for it, in its order. Throws too_many_request. */
export async function awaitQuota(
  ctx: EnvironmentContext,
  owner: QuotaOwner,
  patience: Patience,
): Promise<QuotaUse> {
  const { quotas, pacer } = upstreamLimits.of(ctx);
  const startedMs = ctx.clock.now().getTime();
  const hasPatience = patience.kind !== "none";
  const used = hasPatience ? quotas.listForWaiting(owner, startedMs) : quotas.listKnown(owner);
  if (used.length === 0) return noUse;
  const taken: NamedBudget[] = [];
  const end = (isAccepted: boolean) => {
    for (const { name, budget } of taken.splice(0)) {
      budget.ended(isAccepted);
      pacer.pump(name, budget);
    }
  };
  try {
    for (const each of used) {
      await waitFor(ctx, { owner, each, patience, startedMs });
      taken.push(each);
    }
  } catch (error) {
    end(false);
    throw error;
  }
  return { waitedMs: ctx.clock.now().getTime() - startedMs, end };
}

interface Waiting {
  readonly owner: QuotaOwner;
  readonly each: NamedBudget;
  readonly patience: Patience;
  readonly startedMs: number;
}

async function waitFor(
  ctx: EnvironmentContext,
  { owner, each, patience, startedMs }: Waiting,
): Promise<void> {
  const { name, budget } = each;
  const { pacer } = upstreamLimits.of(ctx);
  const nowMs = ctx.clock.now().getTime();
  if (patience.kind === "none") {
    budget.sent(nowMs);
    return;
  }
  const isBounded = patience.kind === "bounded";
  const longest = isBounded ? patience.waitMs : LONGEST_BACKGROUND_WAIT_MS;
  const left = Math.max(0, longest - (nowMs - startedMs));
  const rank = rankOf(ctx, patience);
  const estimate = pacer.estimateWaitMs(name, budget, rank);
  if (isBounded && estimate > left) throw refuse(estimate);
  const isWaiting = estimate > 0 || pacer.countWaiting(name) > 0 || budget.room(nowMs) < 1;
  using _watch = isWaiting ? watchWait(ctx, each, estimate) : undefined;
  const wish = { rank, share: owner.connection, signal: ctx.signal, longestMs: left };
  if (await pacer.enter(name, budget, wish)) return;
  if (isBounded) throw refuse(pacer.estimateWaitMs(name, budget, rank));
  // A function's call goes out in the end.
  budget.sent(ctx.clock.now().getTime());
}

function rankOf({ actor }: EnvironmentContext, { kind }: Patience): Rank {
  if (kind === "bounded") return actor.kind === "agent" ? "action" : "person";
  return actor.kind === "function" && actor.functionKind === "sync" ? "sync" : "action";
}

/** While a call waits, other processes leave it its part of the quota, and the run says why it stands still. */
function watchWait(ctx: EnvironmentContext, { name, budget }: NamedBudget, estimate: number) {
  const { sharers, pacer } = upstreamLimits.of(ctx);
  let notedUntil = 0;
  const look = () => {
    sharers.announce(ctx, name, () => pacer.findWaiting(name)?.describe());
    // Another process counts too as soon as it has announced itself.
    pacer.pump(name, budget);
    const nowMs = ctx.clock.now().getTime();
    const until = Math.max(budget.blockedUntil, notedUntil === 0 ? nowMs + estimate : 0);
    if (until - nowMs < WORTH_NOTING_MS || until === notedUntil) return;
    notedUntil = until;
    void note(ctx, until);
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** That it cannot be written down does not end the wait. */
async function note(ctx: EnvironmentContext, until: number): Promise<void> {
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
