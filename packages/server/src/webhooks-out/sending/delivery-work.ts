import { type EnvironmentId, reasonOf, SECOND, type SystemContext, within } from "#foundation";
import { ceilingOf } from "#foundation/fair-slots";
import type { DueClaim, DueWork } from "#tasks";
import { DELIVERIES, SEND_TIMEOUT_MS } from "../delivery.ts";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { findOpenRange, type OpenRange } from "../store.ts";
import { claimNoted } from "./claim-noted.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { DeliveryOpener } from "./open-delivery.ts";
import { createOutcomeWriter } from "./outcome-writer.ts";
import { ReceiverPaces } from "./receiver-pace.ts";
import { type ClaimedDelivery, claimDeliveries, findNextDue, type Shares } from "./store.ts";

const READ_EVERY_MS = SECOND;

/**
 * Remembers for a second which days have deliveries to be sent. One of an earlier day that comes to wait meanwhile,
 * as by a replay, is seen after that: `wake` is called then.
 */
class OpenDays {
  #range: OpenRange | undefined;
  #readAt = 0;
  #timer: NodeJS.Timeout | undefined;

  async read({ db, clock }: SystemContext, wake: () => void): Promise<OpenRange> {
    const now = clock.now();
    const age = performance.now() - this.#readAt;
    if (this.#range !== undefined && age < READ_EVERY_MS && now < this.#range.until) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        wake();
      }, READ_EVERY_MS - age).unref();
      return this.#range;
    }
    this.#readAt = performance.now();
    this.#range = await findOpenRange(db, now);
    return this.#range;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

const MAX_IN_FLIGHT = 192;
// A body is held several times while it is opened, signed and sent.
const MAX_BYTES_IN_FLIGHT = 64 * 1024 * 1024;
const LEASE_MS = SEND_TIMEOUT_MS + 10 * SECOND;
const STOP_GRACE_MS = 5 * SECOND;

/** Sends due deliveries in parallel, so that slow receivers hold up nobody else. */
export function createDeliveryWork({ stopGraceMs = STOP_GRACE_MS } = {}): DueWork {
  return new DeliveryWork(stopGraceMs);
}

class DeliveryWork implements DueWork {
  readonly name = DELIVERIES;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #paces = new ReceiverPaces();
  readonly #writer = createOutcomeWriter();
  readonly #opener = new DeliveryOpener();
  readonly #openDays = new OpenDays();
  readonly #stopping = new AbortController();
  readonly #stopGraceMs: number;
  readonly #held = new Map<EnvironmentId, { count: number; bytes: number }>();
  #bytesInFlight = 0;

  constructor(stopGraceMs: number) {
    this.#stopGraceMs = stopGraceMs;
  }

  async claim(ctx: SystemContext, wake: () => void): Promise<DueClaim> {
    const limit = MAX_IN_FLIGHT - this.#inFlight.size;
    const maxBytes = MAX_BYTES_IN_FLIGHT - this.#bytesInFlight;
    if (limit === 0 || maxBytes <= 0) return { claimed: 0, nextDueAt: undefined };
    const rooms = this.#paces.rooms();
    const now = ctx.clock.now();
    const shares = this.#shares(ctx);
    if (await areDeliveriesPrepared(ctx)) {
      const bounds = { now, limit, maxBytes, leaseMs: LEASE_MS, rooms, shares };
      return await claimNoted(ctx, bounds, (delivery) => this.#start(ctx, delivery, wake));
    }
    const open = await this.#openDays.read(ctx, wake);
    const query = { now, open, limit, maxBytes, leaseMs: LEASE_MS, rooms, shares };
    const claimed = await claimDeliveries(ctx.db, query);
    for (const delivery of claimed) this.#start(ctx, delivery, wake);
    if (claimed.length > 0) return { claimed: claimed.length, nextDueAt: undefined };
    return { claimed: 0, nextDueAt: await findNextDue(ctx.db, { now, open, rooms, shares }) };
  }

  /** What is being sent may end; after a while it is given back, and sent again after the start. */
  async drain(): Promise<void> {
    this.#openDays[Symbol.dispose]();
    const ended = Promise.all(this.#inFlight);
    await within(this.#stopGraceMs, ended);
    this.#stopping.abort();
    await ended;
  }

  #start(ctx: SystemContext, delivery: ClaimedDelivery, wake: () => void): void {
    this.#paces.start(delivery.receiverId);
    this.#hold(delivery, 1);
    const sending = this.#send(ctx, delivery).finally(() => {
      this.#inFlight.delete(sending);
      this.#hold(delivery, -1);
      wake();
    });
    this.#inFlight.add(sending);
  }

  #shares({ settings }: SystemContext): Shares {
    const { environmentShare: share } = settings;
    const ceiling = {
      count: ceilingOf(MAX_IN_FLIGHT, share),
      bytes: ceilingOf(MAX_BYTES_IN_FLIGHT, share),
    };
    return { held: Object.fromEntries(this.#held), ceiling };
  }

  #hold({ environmentId, bytes }: ClaimedDelivery, change: 1 | -1): void {
    this.#bytesInFlight += change * bytes;
    const held = this.#held.get(environmentId) ?? { count: 0, bytes: 0 };
    held.count += change;
    held.bytes += change * bytes;
    if (held.count === 0) this.#held.delete(environmentId);
    else this.#held.set(environmentId, held);
  }

  async #send(ctx: SystemContext, delivery: ClaimedDelivery): Promise<void> {
    let answeredAfterMs: number | undefined;
    try {
      const inside = { ...ctx, signal: this.#stopping.signal };
      const tools = { writer: this.#writer, opener: this.#opener };
      answeredAfterMs = await deliverWebhook(inside, delivery, tools);
    } catch (error) {
      const reason = reasonOf(error);
      ctx.log.error("webhooks.delivery_failed", { delivery: delivery.id, reason });
    } finally {
      this.#paces.end(delivery.receiverId, answeredAfterMs);
    }
  }
}
