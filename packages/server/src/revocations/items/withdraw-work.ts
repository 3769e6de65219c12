import { findCachedEnvironment } from "#environments";
import {
  type EnvironmentId,
  reasonOf,
  SECOND,
  type SystemContext,
  withEnvironment,
  within,
} from "#platform";
import { ceilingOf } from "#platform/fair-slots";
import type { DueClaim, DueWork } from "#tasks";
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
  readonly #inFlight = new Map<Promise<void>, Item>();

  async claim(ctx: SystemContext, wake: () => void): Promise<DueClaim> {
    const free = MAX_IN_FLIGHT - this.#inFlight.size;
    if (free === 0) return { claimed: 0, nextDueAt: undefined };
    const busy = this.#listFull(({ integrationId }) => integrationId, MAX_PER_INTEGRATION);
    const ceiling = ceilingOf(MAX_IN_FLIGHT, ctx.settings.environmentShare);
    const crowded: EnvironmentId[] = this.#listFull(({ environmentId }) => environmentId, ceiling);
    const limit = Math.min(free, MAX_PER_INTEGRATION);
    const options = { now: ctx.clock.now(), limit, heldMs: HELD_MS, busy, crowded };
    const claimed = await claimItems(ctx.db, options);
    for (const item of claimed) this.#start(ctx, item, wake);
    if (claimed.length > 0) return { claimed: claimed.length, nextDueAt: undefined };
    return { claimed: 0, nextDueAt: await findNextDue(ctx.db, { busy, crowded }) };
  }

  async drain(): Promise<void> {
    await within(STOP_GRACE_MS, Promise.all(this.#inFlight.keys()));
  }

  #start(ctx: SystemContext, item: Item, wake: () => void): void {
    const withdrawing = enter(ctx, item)
      .catch((error: unknown) => {
        const { revocationId: revocation, position } = item;
        ctx.log.warn("revocations.attempt_failed", {
          ...{ revocation, position, reason: reasonOf(error) },
        });
      })
      .finally(() => {
        this.#inFlight.delete(withdrawing);
        wake();
      });
    this.#inFlight.set(withdrawing, item);
  }

  /** Those that have as many attempts under way as they may. */
  #listFull<Key>(keyOf: (item: Item) => Key, limit: number): Key[] {
    const counts = new Map<Key, number>();
    for (const item of this.#inFlight.values()) {
      const key = keyOf(item);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= limit).map(([key]) => key);
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
