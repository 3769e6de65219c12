import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { findRouting } from "../match/find-routing.ts";
import { type ListedWebhook, listWebhookRows } from "./store.ts";

/** Whether the product knows how to read webhooks of the provider, and the last one that arrived. */
export async function describeInbox(
  ctx: EnvironmentContext,
  integration: Integration,
): Promise<{ isRouted: boolean; last: ListedWebhook | undefined }> {
  const all = { state: undefined, from: undefined, to: undefined, after: undefined };
  const page = { ...all, integrationId: integration.id, limit: 1 };
  const [last] = await listWebhookRows(ctx.db, ctx.environment.id, page);
  return { isRouted: findRouting(ctx, integration).kind !== "plain", last };
}
