import { randomUUID } from "node:crypto";
import type { EnvironmentContext } from "#foundation";
import { findSender } from "./find-sender.ts";
import { type PostedWebhook, postWebhook } from "./post-webhook.ts";
import { webhookHeaders } from "./webhook-headers.ts";

interface SignedPost {
  readonly url: string;
  readonly event: object;
  readonly signal: AbortSignal;
}

/** Sends an event once, signed as webhooks are, and waits for the answer: it is neither stored nor sent again. */
export async function postSigned(
  ctx: EnvironmentContext,
  { url, event, signal }: SignedPost,
): Promise<PostedWebhook> {
  const body = Buffer.from(JSON.stringify(event));
  const sender = await findSender(ctx, ctx.environment.id);
  const headers = await webhookHeaders(ctx, { id: randomUUID(), sender, body, along: {} });
  return await postWebhook(ctx, { url, headers, body, signal });
}
