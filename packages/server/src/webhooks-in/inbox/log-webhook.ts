import { recordOperation } from "#logs";
import type { EnvironmentContext } from "#platform";
import type { Handled } from "./handle-webhook.ts";

/** The webhook as an operation; attempts to forward it are its messages. */
export function logWebhook(ctx: EnvironmentContext, handled: Handled): void {
  const { integration, webhook, connections, duplicates, runs, operationId, state } = handled;
  const { id, uniqueKey: name, provider } = integration;
  const [only] = connections;
  const types = webhook.types.join(", ");
  recordOperation(ctx, {
    id: operationId,
    type: "webhook",
    action: "incoming",
    message: `Webhook of ${name}${types === "" ? "" : `: ${types}`}`,
    integration: { id, name, provider },
    ...(connections.length === 1 && only !== undefined
      ? { connection: { id: only.id, name: only.connectionId } }
      : {}),
    state: "success",
    startedAt: webhook.receivedAt,
    meta: {
      webhook: webhook.id,
      outcome: state,
      verified: webhook.isVerified,
      connections: connections.length,
      runs,
      ...(duplicates > 0 && { duplicates }),
    },
  });
}
