import { recordChange } from "#logs";
import type { EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import { DELIVERIES } from "../delivery.ts";
import type { DeliveryRow, Position } from "./delivery-row.ts";
import { noDelivery } from "./get-delivery.ts";
import { findDeliveryRow, queueAgain, queueRangeAgain, type Range } from "./store.ts";

const BATCH = 1000;

/** Sends one delivery again, now, under its id; throws not_found. */
export async function replayDelivery(ctx: EnvironmentContext, id: string): Promise<DeliveryRow> {
  const environmentId = ctx.environment.id;
  return await withTransaction(ctx, async (ctx) => {
    const isQueued = await queueAgain(ctx.db, environmentId, { id, now: ctx.clock.now() });
    const delivery = await findDeliveryRow(ctx.db, environmentId, id);
    if (!isQueued || delivery === undefined) throw noDelivery();
    await notifyDue(ctx, DELIVERIES);
    return delivery;
  });
}

/** Sends ended deliveries of a time again, the oldest first; resolves to how many. */
export async function replayDeliveries(
  ctx: EnvironmentContext,
  filter: Range["filter"],
): Promise<number> {
  const environmentId = ctx.environment.id;
  const now = ctx.clock.now();
  let replayed = 0;
  let after: Position | undefined;
  do {
    const batch = await withTransaction(ctx, async (ctx) => {
      const range = { filter, after, now, limit: BATCH };
      const queued = await queueRangeAgain(ctx.db, environmentId, range);
      if (queued.count > 0) await notifyDue(ctx, DELIVERIES);
      return queued;
    });
    replayed += batch.count;
    after = batch.count < BATCH ? undefined : batch.last;
  } while (after !== undefined);
  recordChange(ctx, {
    message: `Replay ${replayed} webhooks`,
    meta: { since: filter.since, until: filter.until },
  });
  return replayed;
}
