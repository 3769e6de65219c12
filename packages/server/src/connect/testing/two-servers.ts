import { type OidcServer, startOidcServer } from "#auth-modes/testing";
import type { EnvironmentContext } from "#foundation";
import { createIntegration } from "#integrations";
import { type CallAnswer, type ConnectServer, startConnectServer } from "./connect-server.ts";
import type { Begun } from "./end-user.ts";

export const CALLBACK = "http://127.0.0.1:3003/oauth/callback";

/** The connect routes, and two certified authorization servers that send `iss` (RFC 9207); `evil` is the attacker's. */
export interface TwoServers extends AsyncDisposable {
  readonly server: ConnectServer;
  readonly honest: OidcServer;
  readonly evil: OidcServer;
  /** Comes back from the provider with this query. */
  comeBack(query: Query | string, cookie: string | undefined): Promise<CallAnswer>;
}

export type Query = Record<string, string>;

const credentials = {
  type: "OAUTH2",
  client_id: "client",
  client_secret: "a long secret of this client",
  scopes: "openid",
} as const;

export async function startTwoServers(): Promise<TwoServers> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startConnectServer());
  const client = {
    client_id: credentials.client_id,
    client_secret: credentials.client_secret,
    redirect_uris: [CALLBACK],
    response_types: ["code" as const],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "client_secret_post" as const,
  };
  const honest = stack.use(await startOidcServer([client]));
  const evil = stack.use(await startOidcServer([client]));
  const { ctx } = server.installation;
  for (const environment of [ctx, server.other]) {
    await addIntegration(environment, "honest", honest, { issuer: honest.issuer });
    await addIntegration(environment, "evil", evil, { issuer: evil.issuer });
    await addIntegration(environment, "loose", honest, {});
  }
  const downgrade = "?code_challenge_method=plain&code_challenge=x&state=fixed";
  await addIntegration(ctx, "downgraded", honest, {
    issuer: honest.issuer,
    authorization_url: `${honest.issuer}/auth${downgrade}&redirect_uri=https://evil.example`,
  });
  const running = stack.move();
  return {
    server,
    honest,
    evil,
    comeBack: async (query, cookie) => {
      const text = typeof query === "string" ? query : new URLSearchParams(query).toString();
      return await server.call({ url: `/oauth/callback?${text}`, cookie });
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

/** Lets the user of this attempt agree; what the server sends the browser back with. */
export async function approve(at: OidcServer, { location }: Begun): Promise<Query> {
  return await at.authorize(location.href, CALLBACK);
}

async function addIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
  { issuer }: OidcServer,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  await createIntegration(ctx, {
    provider: "oauth2-generic",
    uniqueKey,
    displayName: undefined,
    forwardWebhooks: true,
    custom: {},
    settings: {},
    credentials,
    integrationConfig: {
      authorization_url: `${issuer}/auth`,
      token_url: `${issuer}/token`,
      base_url: issuer,
      ...config,
    },
  });
}
