import { randomUUID } from "node:crypto";
import { getWebhookTargets } from "#environments";
import { soleSpelling } from "#gateway";
import type { ConnectionUuid, EnvironmentContext, OperationId } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import { seal } from "#vault";
import { bodyPlace, DELIVERIES } from "./delivery.ts";
import { toSortedJson } from "./sort-json.ts";
import { insertDeliveries } from "./store.ts";

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

/** Queues one delivery for each address, in the caller's transaction; none where none is set. */
export async function sendWebhook(
  ctx: EnvironmentContext,
  webhook: OutgoingWebhook,
): Promise<void> {
  const urls = webhook.overrideUrl ? [webhook.overrideUrl] : (await getWebhookTargets(ctx)).urls;
  if (urls.length === 0) return;
  const { from } = webhook.body;
  const sender = from === "svc" ? { from: soleSpelling(ctx, "svc") } : {};
  const body = Buffer.from(toSortedJson({ ...webhook.body, ...sender }));
  const environmentId = ctx.environment.id;
  const now = ctx.clock.now();
  const deliveries = await Promise.all(
    urls.map(async (url) => {
      const id = randomUUID();
      return {
        id,
        type: webhook.type,
        url,
        body: await seal(ctx, bodyPlace(environmentId, id), body),
        headers: JSON.stringify(webhook.headers ?? {}),
        connectionUuid: webhook.connection ?? null,
        operationId: webhook.operationId ?? null,
        nextAttemptAt: now,
        createdAt: now,
      };
    }),
  );
  await withTransaction(ctx, async ({ db }) => {
    await insertDeliveries(db, environmentId, deliveries);
    await notifyDue({ db }, DELIVERIES);
  });
}
