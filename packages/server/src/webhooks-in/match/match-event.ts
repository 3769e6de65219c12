import { matchConnections, type WebhookConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import type { InboundEvent } from "./router.ts";

/** By what connections are looked for. */
export type EventMatch = Exclude<InboundEvent["match"], "all">;

/** Whose event it is: the connections of the first query that finds any, in this environment alone. */
export async function matchEvent(
  ctx: EnvironmentContext,
  integration: Integration,
  match: EventMatch,
): Promise<WebhookConnection[]> {
  for (const wanted of match) {
    const found = await matchConnections(ctx, integration, wanted);
    if (found.length > 0) return found;
  }
  return [];
}
