import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { listPageOf, type PagePosition, type WebhookConnection } from "./match-store.ts";

/**
 * All connections of an integration, a page at a time, in the order in which they were made: an integration may have a
 * hundred thousand.
 */
export async function* pagesOfIntegration(
  ctx: EnvironmentContext,
  { id: integrationId }: Pick<Integration, "id">,
  limit = 1000,
): AsyncGenerator<readonly WebhookConnection[], undefined> {
  let after: PagePosition | undefined;
  for (;;) {
    ctx.signal.throwIfAborted();
    const page = { integrationId, after, limit };
    const { connections, last } = await listPageOf(ctx.db, ctx.environment.id, page);
    if (connections.length > 0) yield connections;
    if (connections.length < limit) return;
    after = last;
  }
}
