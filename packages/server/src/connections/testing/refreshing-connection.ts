import { randomUUID } from "node:crypto";
import { type Connection, createConnection } from "#connections";
import { addMs, type EnvironmentContext, SECOND } from "#foundation";
import { createIntegration, type Integration } from "#integrations";
import { firstTokens } from "./rotating-server.ts";

export interface Prepared {
  readonly integration: Integration;
  readonly connection: Connection;
}

/** A connection of an OAuth 2 integration whose token expires in so many seconds (negative: has expired). */
export async function prepareConnection(
  ctx: EnvironmentContext,
  { tokenUrl, expiresIn }: { tokenUrl: string; expiresIn: number },
): Promise<Prepared> {
  const integration = await createIntegration(ctx, {
    provider: "oauth2-generic",
    uniqueKey: `oauth-${randomUUID()}`,
    displayName: undefined,
    forwardWebhooks: true,
    credentials: { type: "OAUTH2", client_id: "client", client_secret: "client secret" },
    integrationConfig: {
      authorization_url: "http://127.0.0.1:9/authorize",
      token_url: tokenUrl,
      base_url: "http://127.0.0.1:9",
    },
    custom: {},
    settings: {},
  });
  const { connection } = await createConnection(ctx, {
    integration,
    connectionId: undefined,
    credentials: {
      type: "OAUTH2",
      ...firstTokens,
      expires_at: addMs(ctx.clock.now(), expiresIn * SECOND).toISOString(),
    },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  return { integration, connection };
}
