import { addMs, DAY, type EnvironmentContext, type SystemContext } from "#foundation";
import { listWebhookRows } from "../listing/store.ts";
import { deleteRejectionsBefore, keepReceived, listUnnoted } from "./store.ts";

const REJECTIONS_KEPT_MS = 2 * DAY;

/** When the last webhook of an integration came, of those that are stored; null where none is. */
export async function findLastReceived(
  ctx: Pick<EnvironmentContext, "db" | "environment">,
  integrationId: number,
): Promise<Date | null> {
  const all = { state: undefined, from: undefined, to: undefined, after: undefined };
  const page = { ...all, integrationId, limit: 1 };
  const [last] = await listWebhookRows(ctx.db, ctx.environment.id, page);
  return last?.receivedAt ?? null;
}

/** Keeps when the last webhook came that the release before has stored; called before old ones are deleted. */
export async function keepLastReceived(
  ctx: Pick<EnvironmentContext, "db" | "environment">,
): Promise<void> {
  const { db, environment } = ctx;
  for (const integrationId of await listUnnoted(db, environment.id)) {
    const receivedAt = await findLastReceived(ctx, integrationId);
    if (receivedAt !== null) await keepReceived(db, environment.id, { integrationId, receivedAt });
  }
}

/** Called every day. */
export async function deleteOldRejections(ctx: SystemContext): Promise<void> {
  await deleteRejectionsBefore(ctx.db, addMs(ctx.clock.now(), -REJECTIONS_KEPT_MS));
}
