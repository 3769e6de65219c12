import { recordChange } from "#logs";
import { reasonOf, type SystemContext, withEnvironment } from "#platform";
import { DISABLED_AFTER_MS } from "../delivery.ts";
import { findSender } from "./find-sender.ts";
import {
  type DeliveryOutcome,
  type DisabledReceiver,
  noteFailing,
  storeOutcomes,
} from "./store.ts";

/** What an attempt came to, and what it says of the receiver; `unknown` when it says nothing. */
export interface StoredAttempt {
  readonly outcome: DeliveryOutcome;
  readonly receiver: "received" | "failing" | "unknown";
}

interface Waiting extends StoredAttempt {
  readonly done: PromiseWithResolvers<boolean>;
}

/** Stores outcomes; those that come while some are being stored go together in the next statement. */
export class OutcomeWriter {
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  /** Resolves to false when another sender has taken the delivery over meanwhile. */
  async store(ctx: SystemContext, attempt: StoredAttempt): Promise<boolean> {
    const done = Promise.withResolvers<boolean>();
    this.#waiting.push({ ...attempt, done });
    this.#writing ??= this.#writeAll(ctx);
    return await done.promise;
  }

  async #writeAll(ctx: SystemContext): Promise<void> {
    // What ends in the same turn of the loop goes along.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const stored = await storeBatch(ctx, batch);
        for (const { outcome, done } of batch) done.resolve(stored.has(outcome.id));
      } catch (error) {
        // Their leases run out, and they are sent again.
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#writing = undefined;
  }
}

async function storeBatch(
  ctx: SystemContext,
  batch: readonly StoredAttempt[],
): Promise<Set<string>> {
  const received = receiversOf(batch, "received");
  const failing = receiversOf(batch, "failing").filter((id) => !received.includes(id));
  const stored = await storeOutcomes(
    ctx.db,
    batch.map(({ outcome }) => outcome),
  );
  if (failing.length === 0) return stored;
  const failed = { receivers: failing, now: ctx.clock.now(), patienceMs: DISABLED_AFTER_MS };
  for (const receiver of await noteFailing(ctx.db, failed)) await notifyDisabled(ctx, receiver);
  return stored;
}

function receiversOf(
  batch: readonly StoredAttempt[],
  state: StoredAttempt["receiver"],
): readonly string[] {
  const found = batch.filter(({ receiver }) => receiver === state);
  return [...new Set(found.map(({ outcome }) => outcome.receiverId))].toSorted();
}

/** In the server's log and in the environment's; the settings show it for as long as it lasts. */
async function notifyDisabled(ctx: SystemContext, receiver: DisabledReceiver): Promise<void> {
  const { origin } = new URL(receiver.url);
  const { environmentId, failingSince } = receiver;
  ctx.log.warn("webhooks.receiver_disabled", {
    environment: environmentId,
    receiver: receiver.id,
    origin,
    failingSince: failingSince.toISOString(),
  });
  try {
    const { environment } = await findSender(ctx, environmentId);
    recordChange(withEnvironment(ctx, environment, { kind: "system" }), {
      message: `Webhooks to ${origin} are held: the receiver has failed since ${failingSince.toISOString()}`,
      meta: { receiver: receiver.id },
    });
  } catch (error) {
    ctx.log.error("webhooks.receiver_log_failed", { reason: reasonOf(error) });
  }
}
