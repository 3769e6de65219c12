import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ClientMetadata, type Configuration, Provider } from "oidc-provider";

/** A certified authorization server on loopback, whose user agrees to everything. */
export interface OidcServer extends AsyncDisposable {
  readonly issuer: string;
  /** Walks a browser through the authorization; answers the query of the callback. */
  authorize(location: string, redirectUri: string): Promise<Record<string, string>>;
  /** What an access token is for; undefined for one that is not valid any more. */
  readToken(token: string): Promise<IssuedToken | undefined>;
  /** Makes an access token invalid before its time. */
  withdraw(token: string): Promise<void>;
  forgetRefreshToken(token: string): Promise<void>;
}

export interface IssuedToken {
  readonly audience: string;
  readonly scopes: readonly string[];
}

/**
 * Starts the server; it is also an MCP server at `/mcp`, which names it as its authorization server. `resourceScopes`
 * are those of any other resource, separated by spaces.
 */
export async function startOidcServer(
  clients: readonly ClientMetadata[],
  resourceScopes = "",
): Promise<OidcServer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${asTcpAddress(server.address()).port}`;
  const provider = new Provider(issuer, toConfiguration(issuer, clients, resourceScopes));
  const callback = provider.callback();
  handle = async (request, response) => {
    const path = request.url ?? "";
    if (path.startsWith("/interaction/")) await agree(provider, request, response);
    else if (path.startsWith("/mcp")) refuseWithout(issuer, response);
    else if (path === "/.well-known/oauth-protected-resource/mcp") {
      const metadata = { resource: `${issuer}/mcp`, authorization_servers: [issuer] };
      response.setHeader("content-type", "application/json").end(JSON.stringify(metadata));
    } else await callback(request, response);
  };
  return {
    issuer,
    authorize,
    async readToken(token) {
      const found = await provider.AccessToken.find(token);
      if (found === undefined) return undefined;
      return { audience: String(found.aud), scopes: (found.scope ?? "").split(" ") };
    },
    async withdraw(token) {
      await (await provider.AccessToken.find(token))?.destroy();
    },
    async forgetRefreshToken(token) {
      await (await provider.RefreshToken.find(token))?.destroy();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// A server that listens on a port of TCP has such an address.
function asTcpAddress(address: unknown): AddressInfo {
  return address as AddressInfo;
}

function refuseWithout(issuer: string, response: ServerResponse): void {
  const metadata = `${issuer}/.well-known/oauth-protected-resource/mcp`;
  response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
}

function toConfiguration(
  issuer: string,
  clients: readonly ClientMetadata[],
  resourceScopes: string,
): Configuration {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    clients: [...clients],
    clientAuthMethods: [
      "client_secret_basic",
      "client_secret_post",
      "client_secret_jwt",
      "private_key_jwt",
      "none",
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
    cookies: { keys: ["a secret of this test"] },
    features: {
      // Clients that ask for bound tokens have to prove with the server's nonces.
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      registration: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) =>
          resource === `${issuer}/mcp`
            ? { scope: "", audience: resource }
            : { scope: resourceScopes, audience: resource },
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: {
      AccessToken: 600,
      ClientCredentials: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 60,
      RefreshToken: 600,
      Session: 600,
    },
  };
}

async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    await provider.interactionFinished(request, response, { login: { accountId: "user" } });
    return;
  }
  const clientId = String(params["client_id"]);
  const grant = new provider.Grant({ accountId: session?.accountId ?? "user", clientId });
  grant.addOIDCScope("openid offline_access");
  const { resource, scope } = params;
  if (typeof resource === "string" && typeof scope === "string") {
    grant.addResourceScope(resource, scope);
  }
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(
    request,
    response,
    { consent },
    { mergeWithLastSubmission: true },
  );
}

async function authorize(location: string, redirectUri: string): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  let url = location;
  for (let hop = 0; hop < 10 && !url.startsWith(redirectUri); hop += 1) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const text of answer.headers.getSetCookie()) {
      const [pair = ""] = text.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const next = answer.headers.get("location");
    if (next === null) throw new Error(`${answer.status}: ${await answer.text()}`);
    url = new URL(next, url).href;
  }
  return Object.fromEntries(new URL(url).searchParams);
}
