import { AppError, type EnvironmentContext } from "#foundation";
import { readReplica } from "#foundation/db";
import { findWebhook, type ListedWebhook } from "../listing/store.ts";
import type { InboundRequest } from "../match/router.ts";
import { openRequest } from "./handle-webhook.ts";

export interface KeptWebhook {
  readonly webhook: ListedWebhook;
  readonly request: InboundRequest;
}

/** A received webhook with its request as it came; throws not_found. */
export async function getWebhook(ctx: EnvironmentContext, id: string): Promise<KeptWebhook> {
  const webhook = await readReplica(
    ctx,
    async (db) => await findWebhook(db, ctx.environment.id, id),
  );
  if (webhook === undefined) throw noWebhook(id);
  if (!webhook.hasRequest) throw noRequest(id);
  return { webhook, request: await openRequest(ctx, webhook) };
}

export function noWebhook(id: string): AppError {
  return new AppError(
    "not_found",
    `No received webhook ${id}; webhooks are stored for a limited time.`,
  );
}

export function noRequest(id: string): AppError {
  return new AppError(
    "not_found",
    `The request of webhook ${id} was deleted to make room in the inbox (SVC_WEBHOOK_STORAGE).`,
  );
}
