import { connectionCreated, connections, connectionsDeleted, readingThrough } from "#connections";
import { type EnvironmentContext, on } from "#foundation";
import { createIntegration, type Integration, integrations } from "#integrations";
import { type TestApp, testApp } from "#testing";
import { followMovedCreated, followMovedDeleted, oldPlatforms, readThrough } from "../index.ts";
import type { OldRow, Tokens } from "./fake-old-platform.ts";

/** Connections that move here, with what follows them. */
export async function startMovingApp(
  caller: Parameters<typeof testApp>[0]["caller"],
): Promise<TestApp> {
  return await testApp({
    slices: [oldPlatforms, connections, integrations],
    hooks: [
      on(connectionCreated, followMovedCreated),
      on(connectionsDeleted, followMovedDeleted),
      on(readingThrough, readThrough),
    ],
    ...(caller && { caller }),
  });
}

/** An integration `crm` of the provider with that token endpoint, which also withdraws. */
export async function addCrm(ctx: EnvironmentContext, tokenUrl: string): Promise<Integration> {
  return await createIntegration(ctx, {
    ...{ provider: "oauth2-generic", uniqueKey: "crm", displayName: undefined },
    ...{ forwardWebhooks: true, custom: {}, settings: {} },
    credentials: { type: "OAUTH2", client_id: "client", client_secret: "client secret" },
    integrationConfig: {
      authorization_url: "http://127.0.0.1:9/authorize",
      token_url: tokenUrl,
      revocation_url: tokenUrl,
      base_url: "http://127.0.0.1:9",
    },
  });
}

/** Uses a refresh token at the provider, as an old platform does; throws where it is refused. */
export async function refreshAt(
  tokenUrl: string,
  { refreshToken = "" }: OldRow,
  now: Date,
): Promise<Tokens> {
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  const response = await fetch(tokenUrl, { method: "POST", body });
  if (response.status !== 200) throw new Error("the provider refused the refresh token");
  const { access_token: accessToken, refresh_token, expires_in } = asTokens(await response.json());
  const expiresAt = new Date(now.getTime() + expires_in * 1000);
  return { accessToken, refreshToken: refresh_token, expiresAt };
}

// What the simulated providers of tests answer.
function asTokens(body: unknown) {
  return body as { access_token: string; refresh_token: string; expires_in: number };
}
