import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { announceChange } from "#logs";
import { notifyDue } from "#tasks";
import { DELIVERIES } from "../delivery.ts";
import { noteQueuedAgain } from "../distributed/note-deliveries.ts";
import type { DeliveryRow } from "./delivery-row.ts";
import { noDelivery } from "./get-delivery.ts";
import { findDeliveryRow, queueAgain } from "./store.ts";

/** Sends one delivery again, now, under its id; throws not_found. */
export async function replayDelivery(ctx: EnvironmentContext, id: string): Promise<DeliveryRow> {
  const environmentId = ctx.environment.id;
  return await withTransaction(ctx, async (ctx) => {
    const queued = await queueAgain(ctx.db, environmentId, { id, now: ctx.clock.now() });
    const delivery = await findDeliveryRow(ctx.db, environmentId, id);
    if (queued === undefined || delivery === undefined) throw noDelivery();
    await noteQueuedAgain(ctx, environmentId, [queued]);
    await notifyDue(ctx, DELIVERIES);
    announceChange(ctx, environmentId, "deliveries");
    return delivery;
  });
}
