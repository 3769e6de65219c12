import { setTimeout as sleep } from "node:timers/promises";
import { type InstallationContext, messageOf, SECOND } from "#platform";
import type { DueClaim, DueWork } from "#tasks";
import { deliverWebhook } from "./deliver-webhook.ts";
import { DELIVERIES, SEND_TIMEOUT_MS } from "./delivery.ts";
import { type ClaimedDelivery, claimDeliveries, findNextDue } from "./store.ts";

const MAX_IN_FLIGHT = 64;
// A receiver that hangs holds so many places at most, and as many again of a claim under way.
const MAX_PER_URL = 8;
const LEASE_MS = SEND_TIMEOUT_MS + 10 * SECOND;
const STOP_GRACE_MS = 5 * SECOND;

/** Sends due deliveries beside each other, so that slow receivers hold up nobody else. */
export function createDeliveryWork({ stopGraceMs = STOP_GRACE_MS } = {}): DueWork {
  return new DeliveryWork(stopGraceMs);
}

class DeliveryWork implements DueWork {
  readonly name = DELIVERIES;
  readonly #inFlight = new Map<Promise<void>, string>();
  readonly #stopping = new AbortController();
  readonly #stopGraceMs: number;

  constructor(stopGraceMs: number) {
    this.#stopGraceMs = stopGraceMs;
  }

  async claim(ctx: InstallationContext, wake: () => void): Promise<DueClaim> {
    const free = MAX_IN_FLIGHT - this.#inFlight.size;
    if (free === 0) return { claimed: 0, nextDueAt: undefined };
    const busyUrls = this.#busyUrls();
    const now = ctx.clock.now();
    const limit = Math.min(free, MAX_PER_URL);
    const claimed = await claimDeliveries(ctx.db, { now, limit, leaseMs: LEASE_MS, busyUrls });
    for (const delivery of claimed) this.#start(ctx, delivery, wake);
    if (claimed.length > 0) return { claimed: claimed.length, nextDueAt: undefined };
    return { claimed: 0, nextDueAt: await findNextDue(ctx.db, { now, busyUrls }) };
  }

  /** What is being sent may end; after a while it is given back, and sent again after the start. */
  async drain(): Promise<void> {
    const ended = Promise.all(this.#inFlight.keys());
    await Promise.race([ended, sleep(this.#stopGraceMs, undefined, { ref: false })]);
    this.#stopping.abort();
    await ended;
  }

  #start(ctx: InstallationContext, delivery: ClaimedDelivery, wake: () => void): void {
    const sending = deliverWebhook({ ...ctx, signal: this.#stopping.signal }, delivery)
      .catch((error: unknown) => {
        const reason = messageOf(error);
        ctx.log.error("webhooks.delivery_failed", { delivery: delivery.id, reason });
      })
      .finally(() => {
        this.#inFlight.delete(sending);
        wake();
      });
    this.#inFlight.set(sending, delivery.url);
  }

  #busyUrls(): string[] {
    const counts = new Map<string, number>();
    for (const url of this.#inFlight.values()) counts.set(url, (counts.get(url) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_PER_URL).map(([url]) => url);
  }
}
