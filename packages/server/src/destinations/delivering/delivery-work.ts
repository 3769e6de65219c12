import { findCachedEnvironment } from "#environments";
import { reasonOf, SECOND, type SystemContext, withEnvironment } from "#foundation";
import { ceilingOf } from "#foundation/fair-slots";
import { type DueClaim, type DueWork, InFlight } from "#tasks";
import { DESTINATIONS, type Destination } from "../destination.ts";
import { claimDestinations, findNextDue } from "../store.ts";
import { deliver } from "./deliver.ts";
import { HELD_MS } from "./sink.ts";

/** In one process: each holds a batch of records, and a connection. */
const MAX_IN_FLIGHT = 8;
const STOP_GRACE_MS = 5 * SECOND;

/** Delivers changes to one destination after the other, fairly between environments. */
export function createDeliveryWork(): DueWork {
  return new DeliveryWork();
}

class DeliveryWork implements DueWork {
  readonly name = DESTINATIONS;
  readonly restMs = 20;
  readonly #inFlight = new InFlight<Destination>(MAX_IN_FLIGHT);

  async claim(ctx: SystemContext, wake: () => void): Promise<DueClaim> {
    if (this.#inFlight.room === 0) return { claimed: 0, nextDueAt: undefined };
    const ceiling = ceilingOf(MAX_IN_FLIGHT, ctx.settings.environmentShare);
    const crowded = this.#inFlight.listFull(({ environmentId }) => environmentId, ceiling);
    // One by one, so that no environment gets more than its share by one claim.
    const options = { now: ctx.clock.now(), limit: 1, heldMs: HELD_MS, crowded };
    const claimed = await claimDestinations(ctx.db, options);
    for (const destination of claimed) this.#start(ctx, destination, wake);
    if (claimed.length > 0) return { claimed: claimed.length, nextDueAt: undefined };
    return { claimed: 0, nextDueAt: await findNextDue(ctx.db, crowded) };
  }

  async drain(): Promise<void> {
    await this.#inFlight.drain(STOP_GRACE_MS);
  }

  #start(ctx: SystemContext, destination: Destination, wake: () => void): void {
    this.#inFlight.start(destination, {
      work: () => enter(ctx, destination),
      onFailure(error) {
        const { id } = destination;
        ctx.log.warn("destinations.turn_failed", { destination: id, reason: reasonOf(error) });
      },
      wake,
    });
  }
}

async function enter(ctx: SystemContext, destination: Destination): Promise<void> {
  // With an environment go its destinations.
  const environment = await findCachedEnvironment(ctx, destination.environmentId);
  if (environment !== undefined) await deliver(withEnvironment(ctx, environment), destination);
}
