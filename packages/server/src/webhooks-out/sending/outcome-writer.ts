import { type EnvironmentId, reasonOf, type SystemContext, withEnvironment } from "#foundation";
import { BatchWriter, RowsInOrder } from "#foundation/batches";
import { askEach, replicas, WorkerAway } from "#foundation/db";
import { announceChange, recordChange } from "#logs";
import { DISABLED_AFTER_MS } from "../delivery.ts";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { findSender } from "./find-sender.ts";
import {
  type DeliveryOutcome,
  type DisabledReceiver,
  noteFailing,
  storeOutcomes,
} from "./store.ts";
import { storeNoted } from "./store-noted.ts";

/** What an attempt came to, and what it says of the receiver; `unknown` when it says nothing. */
export interface StoredAttempt {
  readonly outcome: DeliveryOutcome;
  readonly receiver: "received" | "failing" | "unknown";
}

export type OutcomeWriter = BatchWriter<StoredAttempt, boolean>;

// As many as come while others are being stored.
const BATCH_ROWS = Number.MAX_SAFE_INTEGER;

/**
 * Stores outcomes. One is false when another sender has taken the delivery over meanwhile; where they cannot be
 * stored, their leases run out and they are sent again.
 */
export function createOutcomeWriter(): OutcomeWriter {
  return new BatchWriter({
    queue: new RowsInOrder(BATCH_ROWS),
    write: async (ctx, attempts) => {
      const stored = await storeBatch(ctx, attempts);
      return ({ outcome }) => stored.has(outcome.id);
    },
    splits: false,
  });
}

async function storeBatch(
  ctx: SystemContext,
  batch: readonly StoredAttempt[],
): Promise<Set<string>> {
  const received = receiversOf(batch, "received");
  const failing = receiversOf(batch, "failing").filter((id) => !received.includes(id));
  const isPrepared = await areDeliveriesPrepared(ctx);
  const outcomes = batch.map(({ outcome }) => outcome);
  const stored = isPrepared
    ? await storeNoted(ctx, outcomes)
    : await storeOutcomes(ctx.db, outcomes, { waitsForDisk: replicas.of(ctx) !== undefined });
  for (const { outcome } of batch) announceChange(ctx, outcome.environmentId, "deliveries");
  if (failing.length === 0) return stored;
  const now = ctx.clock.now();
  const patienceMs = DISABLED_AFTER_MS;
  const disabled = isPrepared
    ? await noteFailingNoted(ctx, byEnvironment(batch, { failing, stored }))
    : await noteFailing(ctx.db, { receivers: failing, now, patienceMs });
  for (const receiver of disabled) await notifyDisabled(ctx, receiver);
  return stored;
}

/** Of each environment by itself; one whose server does not answer is noted with its next failure. */
async function noteFailingNoted(
  ctx: SystemContext,
  owned: readonly { environmentId: EnvironmentId; receivers: readonly string[] }[],
): Promise<DisabledReceiver[]> {
  const now = ctx.clock.now();
  const groups = owned.map((own) => [own.environmentId, own] as const);
  const asked = await askEach(ctx, groups, async ({ db }, own) => {
    return await noteFailing(db, { ...own, now, patienceMs: DISABLED_AFTER_MS });
  });
  return asked.flatMap(({ outcome }) => {
    if (outcome.status === "fulfilled") return outcome.value;
    if (outcome.reason instanceof WorkerAway) return [];
    throw outcome.reason;
  });
}

/** Not those whose outcomes could not be stored, since their server is away. */
function byEnvironment(
  batch: readonly StoredAttempt[],
  { failing, stored }: { failing: readonly string[]; stored: ReadonlySet<string> },
) {
  const outcomes = batch.map(({ outcome }) => outcome);
  const owned = outcomes.filter(
    ({ id, receiverId }) => stored.has(id) && failing.includes(receiverId),
  );
  return [...Map.groupBy(owned, (each) => each.environmentId)].map(([environmentId, own]) => ({
    environmentId,
    receivers: [...new Set(own.map(({ receiverId }) => receiverId))].toSorted(),
  }));
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
      message: `Webhooks to ${origin} are held: the endpoint has failed since ${failingSince.toISOString()}`,
      meta: { receiver: receiver.id },
    });
  } catch (error) {
    ctx.log.error("webhooks.receiver_log_failed", { reason: reasonOf(error) });
  }
}
