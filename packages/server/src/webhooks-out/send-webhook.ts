import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { toSortedParts } from "#foundation/json";
import { soleSpelling } from "#gateway";
import { notifyDue } from "#tasks";
import { createSealer } from "#vault";
import { bodyAad, DELIVERIES, headersAad } from "./delivery.ts";
import { noteAdded } from "./distributed/note-deliveries.ts";
import { findUrls, newDelivery, type OutgoingWebhook } from "./new-delivery.ts";
import { insertDeliveries, type NewDelivery, takeSequence } from "./store.ts";

/**
 * Queues one delivery for each address, in the caller's transaction; none where none is set, and no forward where
 * the environment wants none. What the server tells of a connection gets the connection's next `sequence`.
 */
export async function sendWebhook(
  ctx: EnvironmentContext,
  webhook: OutgoingWebhook,
): Promise<void> {
  await sendEach(ctx, [webhook]);
}

// A statement takes 65,535 parameters, and its bytes are in memory several times.
const INSERTED_AT_ONCE = 1000;
const INSERTED_BYTES = 8 * 1024 * 1024;

/** `sendWebhook` of several that have the same type, in few statements. */
export async function sendEach(
  ctx: EnvironmentContext,
  webhooks: readonly OutgoingWebhook[],
): Promise<void> {
  const [first] = webhooks;
  if (first === undefined) return;
  const urlsOf = await findUrls(ctx, first);
  const wanted = webhooks.filter((webhook) => urlsOf(webhook).length > 0);
  if (wanted.length === 0) return;
  const environmentId = ctx.environment.id;
  const seal = await createSealer(ctx, environmentId);
  await withTransaction(ctx, async (ctx) => {
    let waiting: NewDelivery[] = [];
    let bytes = 0;
    for (const webhook of wanted) {
      const body = toSortedParts(await bodyOf(ctx, webhook));
      const headers = webhook.headers && Buffer.from(JSON.stringify(webhook.headers));
      for (const url of urlsOf(webhook)) {
        const delivery = newDelivery(ctx, webhook, url);
        const { id } = delivery;
        const sealed = await seal(bodyAad(environmentId, id), ...body);
        waiting.push({
          ...delivery,
          body: sealed,
          headers:
            headers === undefined ? null : await seal(headersAad(environmentId, id), headers),
          payloadId: null,
        });
        bytes += sealed.byteLength;
        if (waiting.length < INSERTED_AT_ONCE && bytes < INSERTED_BYTES) continue;
        await insertDeliveries(ctx.db, environmentId, waiting);
        await noteAdded(ctx, waiting);
        waiting = [];
        bytes = 0;
      }
    }
    if (waiting.length > 0) {
      await insertDeliveries(ctx.db, environmentId, waiting);
      await noteAdded(ctx, waiting);
    }
    await notifyDue(ctx, DELIVERIES);
  });
}

/** A forward carries the provider's event, whose order we do not know. */
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
