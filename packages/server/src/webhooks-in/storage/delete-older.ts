import type { EnvironmentId, SystemContext } from "#foundation";
import { countingDeleted } from "../distributed/counting-deleted.ts";
import { deleteEventsBefore, deleteWebhooksBefore, ROWS_AT_ONCE } from "./store.ts";

/** Deletes a part of what is older, or of all; whether there may be more of it, of either table. */
export async function deleteOlder(
  ctx: SystemContext,
  environmentId: EnvironmentId,
  before: Date | undefined,
): Promise<boolean> {
  const webhooks = await countingDeleted(
    ctx,
    environmentId,
    async (db) => await deleteWebhooksBefore(db, environmentId, before),
  );
  const events = await deleteEventsBefore(ctx.db, environmentId, before);
  return Math.max(webhooks.count, events) === ROWS_AT_ONCE;
}
