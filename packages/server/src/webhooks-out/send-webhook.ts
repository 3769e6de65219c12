import { soleSpelling } from "#gateway";
import type { EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import { createSealer } from "#vault";
import { bodyPlace, DELIVERIES, headersPlace } from "./delivery.ts";
import { findUrls, newDelivery, type OutgoingWebhook } from "./new-delivery.ts";
import { toSortedJson } from "./sort-json.ts";
import { insertDeliveries, takeSequence } from "./store.ts";

/**
 * Queues one delivery for each address, in the caller's transaction; none where none is set, and no forward where
 * the environment wants none. What the platform tells of a connection gets the connection's next `sequence`.
 */
export async function sendWebhook(
  ctx: EnvironmentContext,
  webhook: OutgoingWebhook,
): Promise<void> {
  const urls = (await findUrls(ctx, webhook))(webhook);
  if (urls.length === 0) return;
  const environmentId = ctx.environment.id;
  const sealText = await createSealer(ctx, environmentId);
  await withTransaction(ctx, async (ctx) => {
    const body = Buffer.from(toSortedJson(await bodyOf(ctx, webhook)));
    const headers = webhook.headers && Buffer.from(JSON.stringify(webhook.headers));
    const deliveries = urls.map((url) => {
      const delivery = newDelivery(ctx, webhook, url);
      const { id } = delivery;
      return {
        ...delivery,
        body: sealText(bodyPlace(environmentId, id), body),
        headers: headers === undefined ? null : sealText(headersPlace(environmentId, id), headers),
        payloadId: null,
      };
    });
    await insertDeliveries(ctx.db, environmentId, deliveries);
    await notifyDue(ctx, DELIVERIES);
  });
}

/** A forward is the provider's news, whose order is not ours to tell. */
async function bodyOf(
  ctx: EnvironmentContext,
  { body, connection }: OutgoingWebhook,
): Promise<object> {
  if (body["from"] !== "svc") return body;
  const from = soleSpelling(ctx, "svc");
  if (connection === undefined) return { ...body, from };
  const sequence = await takeSequence(ctx.db, ctx.environment.id, connection);
  return { ...body, from, sequence };
}
