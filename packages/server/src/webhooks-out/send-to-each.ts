import assert from "node:assert";
import { randomUUID } from "node:crypto";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { toSortedParts } from "#foundation/json";
import { notifyDue } from "#tasks";
import { createSealer } from "#vault";
import { bodyAad, DELIVERIES, payloadAad } from "./delivery.ts";
import { noteAdded } from "./distributed/note-deliveries.ts";
import { findUrls, newDelivery, type WebhookContent, type WebhookTarget } from "./new-delivery.ts";
import { sendWebhook } from "./send-webhook.ts";
import { insertDeliveries, insertPayload, type NewDelivery } from "./store.ts";

export interface NamedTarget extends WebhookTarget {
  readonly connectionId: string;
}

// A statement takes 65,535 parameters.
const INSERTED_AT_ONCE = 1000;

/**
 * Tells each connection the same, with its `connectionId` in it, in the caller's transaction. What is the same for
 * several is stored once, so that an event of ten thousand connections is not kept ten thousand times.
 */
export async function sendToEach(
  ctx: EnvironmentContext,
  content: WebhookContent,
  targets: readonly NamedTarget[],
): Promise<void> {
  const [only] = targets;
  if (only !== undefined && targets.length === 1) {
    await sendWebhook(ctx, { ...content, ...only, body: { ...content.body, ...ownOf(only) } });
    return;
  }
  const send = await openSendToEach(ctx, content);
  await send(targets);
}

/** `sendToEach` for connections that come page by page, whose transaction is the caller's. */
export async function openSendToEach(
  ctx: EnvironmentContext,
  content: WebhookContent,
): Promise<(targets: readonly NamedTarget[]) => Promise<void>> {
  const urlsOf = await findUrls(ctx, content);
  // Its own name comes first, so that the keys of the whole are in order.
  assert(Object.keys(content.body).every((name) => name > "connectionId"));
  let payload: KeptPayload | undefined;
  return async (targets) => {
    const all = targets.flatMap((target) => urlsOf(target).map((url) => ({ target, url })));
    if (all.length === 0) return;
    await withTransaction(ctx, async (ctx) => {
      payload ??= await keepPayload(ctx, content);
      for (let from = 0; from < all.length; from += INSERTED_AT_ONCE) {
        await insertPage(ctx, { content, payload, page: all.slice(from, from + INSERTED_AT_ONCE) });
      }
      await notifyDue(ctx, DELIVERIES);
    });
  };
}

interface KeptPayload {
  readonly id: string;
  readonly seal: Awaited<ReturnType<typeof createSealer>>;
}

async function keepPayload(ctx: EnvironmentContext, content: WebhookContent): Promise<KeptPayload> {
  const environmentId = ctx.environment.id;
  const seal = await createSealer(ctx, environmentId);
  const id = randomUUID();
  const sealColumn = async (column: "body" | "headers", ...parts: readonly Uint8Array[]) =>
    await seal(payloadAad(environmentId, id, column), ...parts);
  await insertPayload(ctx.db, environmentId, {
    id,
    body: await sealColumn("body", ...toSortedParts(content.body)),
    headers: content.headers
      ? await sealColumn("headers", Buffer.from(JSON.stringify(content.headers)))
      : null,
    createdAt: ctx.clock.now(),
  });
  return { id, seal };
}

interface Page {
  readonly content: WebhookContent;
  readonly payload: KeptPayload;
  readonly page: readonly { readonly target: NamedTarget; readonly url: string }[];
}

async function insertPage(
  ctx: EnvironmentContext,
  { content, payload: { id: payloadId, seal }, page }: Page,
): Promise<void> {
  const environmentId = ctx.environment.id;
  const deliveries: NewDelivery[] = [];
  for (const { target, url } of page) {
    const own = ownOf(target);
    const webhook = { ...content, ...target, body: { ...content.body, ...own } };
    const delivery = newDelivery(ctx, webhook, url);
    const aad = bodyAad(environmentId, delivery.id);
    const body = await seal(aad, Buffer.from(JSON.stringify(own)));
    deliveries.push({ ...delivery, body, headers: null, payloadId });
  }
  await insertDeliveries(ctx.db, environmentId, deliveries);
  await noteAdded(ctx, deliveries);
}

function ownOf({ connectionId }: NamedTarget): { readonly connectionId: string } {
  return { connectionId };
}
