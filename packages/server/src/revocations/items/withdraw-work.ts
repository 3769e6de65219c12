import { findCachedEnvironment } from "#environments";
import { reasonOf, SECOND, type SystemContext, withEnvironment } from "#foundation";
import { ceilingOf } from "#foundation/fair-slots";
import { type DueClaim, type DueWork, InFlight } from "#tasks";
import { type Item, REVOCATIONS } from "../revocation.ts";
import { claimItems, findNextDue } from "./store.ts";
import { withdrawItem } from "./withdraw-item.ts";

const MAX_IN_FLIGHT = 32;
// A provider must not be run over, nor a slow one keep the others waiting.
const MAX_PER_INTEGRATION = 8;
// Another process tries it again after this time, should this one die; longer than any attempt.
const HELD_MS = 30 * SECOND;
const STOP_GRACE_MS = 12 * SECOND;

/** Withdraws the tokens of revoked connections, one connection after the other, fairly between environments. */
export function createWithdrawWork(): DueWork {
  return new WithdrawWork();
}

class WithdrawWork implements DueWork {
  readonly name = REVOCATIONS;
  readonly restMs = 20;
  readonly #inFlight = new InFlight<Item>(MAX_IN_FLIGHT);

  async claim(ctx: SystemContext, wake: () => void): Promise<DueClaim> {
    const { room: free } = this.#inFlight;
    if (free === 0) return { claimed: 0, nextDueAt: undefined };
    const busy = this.#inFlight.listFull(({ integrationId }) => integrationId, MAX_PER_INTEGRATION);
    const ceiling = ceilingOf(MAX_IN_FLIGHT, ctx.settings.environmentShare);
    const crowded = this.#inFlight.listFull(({ environmentId }) => environmentId, ceiling);
    const limit = Math.min(free, MAX_PER_INTEGRATION);
    const options = { now: ctx.clock.now(), limit, heldMs: HELD_MS, busy, crowded };
    const claimed = await claimItems(ctx.db, options);
    for (const item of claimed) this.#start(ctx, item, wake);
    if (claimed.length > 0) return { claimed: claimed.length, nextDueAt: undefined };
    return { claimed: 0, nextDueAt: await findNextDue(ctx.db, { busy, crowded }) };
  }

  async drain(): Promise<void> {
    await this.#inFlight.drain(STOP_GRACE_MS);
  }

  #start(ctx: SystemContext, item: Item, wake: () => void): void {
    this.#inFlight.start(item, {
      work: () => enter(ctx, item),
      onFailure(error) {
        const { revocationId: revocation, position } = item;
        ctx.log.warn("revocations.attempt_failed", {
          ...{ revocation, position, reason: reasonOf(error) },
        });
      },
      wake,
    });
  }
}

async function enter(ctx: SystemContext, item: Item): Promise<void> {
  // With an environment go its revocations.
  const environment = await findCachedEnvironment(ctx, item.environmentId);
  if (environment === undefined) return;
  // An attempt that has begun is noted also while the server stops.
  const signal = new AbortController().signal;
  await withdrawItem({ ...withEnvironment(ctx, environment), signal }, item);
}
