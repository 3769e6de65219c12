import { createConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { createIntegration, type Integration } from "#integrations";

export async function integrate(
  ctx: EnvironmentContext,
  uniqueKey: string,
  baseUrl = "https://api.example.com",
): Promise<Integration> {
  return await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey, displayName: undefined, forwardWebhooks: true },
    ...{ credentials: undefined, custom: {}, settings: {} },
    integrationConfig: { base_url: baseUrl },
  });
}

/** A connection of an end user. */
export async function connect(
  ctx: EnvironmentContext,
  {
    integration,
    connectionId,
    endUserId,
  }: { integration: Integration; connectionId: string; endUserId: string },
): Promise<void> {
  await createConnection(ctx, {
    ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
    ...{ tags: { end_user_id: endUserId }, webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: "canary-token" },
  });
}
