import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { notifyDue } from "#tasks";
import { DELIVERIES } from "../delivery.ts";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import { noteOpened } from "../distributed/note-deliveries.ts";
import { receiverId } from "./receiver-id.ts";
import { openReceiver } from "./store.ts";

/** Sends to an address again; what was held for it is due now. Throws not_found for one never sent to. */
export async function enableReceiver(
  ctx: EnvironmentContext,
  { url }: { url: string },
): Promise<void> {
  const id = receiverId(ctx.environment.id, url);
  await withTransaction(ctx, async (ctx) => {
    const [now, isPrepared] = [ctx.clock.now(), await areDeliveriesPrepared(ctx)];
    const isThere = await openReceiver(ctx.db, ctx.environment.id, { id, now, isPrepared });
    if (!isThere) throw new AppError("not_found", "No webhook was ever sent to that address.");
    await noteOpened(ctx, id);
    await notifyDue(ctx, DELIVERIES);
  });
  const { origin } = new URL(url);
  recordChange(ctx, { message: `Enable webhooks to ${origin}`, meta: { receiver: id } });
}
