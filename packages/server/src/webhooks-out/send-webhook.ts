import { randomUUID } from "node:crypto";
import { getWebhookTargets } from "#environments";
import { soleSpelling } from "#gateway";
import type { ConnectionUuid, EnvironmentContext, OperationId } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import { createSealer } from "#vault";
import { bodyPlace, DELIVERIES, headersPlace } from "./delivery.ts";
import { receiverId } from "./receivers/receiver-id.ts";
import { toSortedJson } from "./sort-json.ts";
import { insertDeliveries, takeSequence } from "./store.ts";

export interface OutgoingWebhook {
  readonly type: "auth" | "sync" | "async_action" | "forward";
  readonly body: Readonly<Record<string, unknown>>;
  readonly connection?: ConnectionUuid | undefined;
  /** The connection's own address, in place of those of the environment. */
  readonly overrideUrl?: string | null | undefined;
  readonly operationId?: OperationId | undefined;
  /** Sent along; the headers that the platform sets itself win. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Queues one delivery for each address, in the caller's transaction; none where none is set, and no forward where
 * the environment wants none. What the platform tells of a connection gets the connection's next `sequence`.
 */
export async function sendWebhook(
  ctx: EnvironmentContext,
  webhook: OutgoingWebhook,
): Promise<void> {
  const { urls: all, settings } = await getWebhookTargets(ctx);
  if (webhook.type === "forward" && !settings.forward) return;
  const urls = webhook.overrideUrl ? [webhook.overrideUrl] : all;
  if (urls.length === 0) return;
  const environmentId = ctx.environment.id;
  const sealText = await createSealer(ctx, environmentId);
  const now = ctx.clock.now();
  await withTransaction(ctx, async (ctx) => {
    const body = Buffer.from(toSortedJson(await bodyOf(ctx, webhook)));
    const headers = webhook.headers && Buffer.from(JSON.stringify(webhook.headers));
    const deliveries = urls.map((url) => {
      const id = randomUUID();
      return {
        id,
        receiverId: receiverId(environmentId, url),
        type: webhook.type,
        url,
        body: sealText(bodyPlace(environmentId, id), body),
        headers: headers === undefined ? null : sealText(headersPlace(environmentId, id), headers),
        connectionUuid: webhook.connection ?? null,
        connectionId: textOf(webhook.body["connectionId"]),
        integrationKey: textOf(webhook.body["providerConfigKey"]),
        operationId: webhook.operationId ?? null,
        nextAttemptAt: now,
        createdAt: now,
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

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
