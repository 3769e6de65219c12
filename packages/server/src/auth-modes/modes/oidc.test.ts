import { generateKeyPairSync } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthSubject, AuthTools, Credentials } from "../auth-mode.ts";
import { startOidcServer } from "../testing/oidc-server.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { getAuthMode } from "./index.ts";

const redirectUri = "https://platform.example.com/oauth/callback";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const secret = "a+secret/with%odd:signs&enough=length";

const common = {
  redirect_uris: [redirectUri],
  response_types: ["code" as const],
  grant_types: ["authorization_code", "refresh_token", "client_credentials"],
  client_secret: secret,
};

const server = await startOidcServer([
  { ...common, client_id: "basic", token_endpoint_auth_method: "client_secret_basic" },
  { ...common, client_id: "post", token_endpoint_auth_method: "client_secret_post" },
  { ...common, client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt" },
  {
    ...common,
    client_id: "key",
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", use: "sig" }] },
  },
  {
    ...common,
    client_id: "pushed",
    token_endpoint_auth_method: "private_key_jwt",
    require_pushed_authorization_requests: true,
    jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", use: "sig" }] },
  },
  {
    redirect_uris: [redirectUri],
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
    client_id: "public",
    token_endpoint_auth_method: "none",
  },
]);
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function newTools(): AuthTools {
  return { http, now: new Date(), signal: new AbortController().signal };
}

/** What the server requires of an entry, for every grant. */
function tokenEntry(method: string) {
  return {
    token_url: `${server.issuer}/token`,
    token_auth_method: method,
    client_assertion: {
      audience: server.issuer,
      ...(method === "private_key_jwt" ? { header: { kid: "k1" } } : {}),
    },
    revocation: { url: `${server.issuer}/token/revocation` },
  };
}

function codeEntry(method: string) {
  return {
    auth_mode: "OAUTH2",
    ...tokenEntry(method),
    authorization_url: `${server.issuer}/auth`,
    authorization_params: { prompt: "consent" },
    required_scopes: ["openid", "offline_access"],
    issuer: server.issuer,
  };
}

function subjectOf(clientId: string, method: string, mode = "OAUTH2"): AuthSubject {
  const isCodeFlow = mode === "OAUTH2";
  return subjectOfEntry(
    isCodeFlow ? codeEntry(method) : { auth_mode: mode, ...tokenEntry(method) },
    {
      integrationCredentials: isCodeFlow
        ? {
            type: "OAUTH2",
            client_id: clientId,
            client_secret: method === "none" ? undefined : secret,
            client_private_key: pem,
          }
        : undefined,
    },
  );
}

const codeVerifier = "0123456789abcdefghijklmnopqrstuvwxyz0123456789";
const start = {
  redirectUri,
  state: "the state",
  codeVerifier,
  scopesOverride: undefined,
  authorizationParams: {},
};

async function connect(subject: AuthSubject): Promise<Credentials> {
  const mode = getAuthMode(subject.provider.auth_mode);
  const redirect = await mode.startAuthorization?.(subject, start, newTools());
  const query = await server.authorize(redirect?.location ?? "", redirectUri);
  expect(query["state"]).toBe("the state");
  const finish = { query, redirectUri, codeVerifier, remembered: redirect?.remember };
  const minted = await mode.finishAuthorization?.(subject, finish, newTools());
  return minted?.credentials ?? { type: "" };
}

test.each([
  ["basic", "client_secret_basic"],
  ["post", "client_secret_post"],
  ["hmac", "client_secret_jwt"],
  ["key", "private_key_jwt"],
  ["public", "none"],
])("code with PKCE, rotation and withdrawal for the client %s (%s)", async (clientId, method) => {
  const subject = subjectOf(clientId, method);
  const mode = getAuthMode("OAUTH2");

  const first = await connect(subject);
  const second = await mode.refresh?.(subject, first, newTools());
  const credentials = second?.credentials ?? { type: "" };
  await mode.revoke?.(subject, credentials, newTools());

  expect(first["refresh_token"]).toEqual(expect.any(String));
  expect(credentials["refresh_token"]).not.toBe(first["refresh_token"]);
  expect(credentials["access_token"]).not.toBe(first["access_token"]);
  await expect(mode.refresh?.(subject, credentials, newTools())).rejects.toMatchObject({
    kind: "revoked",
  });
});

test("a refresh token used twice ends the whole family", async () => {
  const subject = subjectOf("basic", "client_secret_basic");
  const mode = getAuthMode("OAUTH2");
  const first = await connect(subject);
  const second = await mode.refresh?.(subject, first, newTools());

  const reuse = mode.refresh?.(subject, first, newTools());
  await expect(reuse).rejects.toMatchObject({ name: "ProviderFailure", kind: "revoked" });
  const after = mode.refresh?.(subject, second?.credentials ?? first, newTools());

  await expect(after).rejects.toMatchObject({ kind: "revoked" });
});

test("a request that has to be handed in beforehand (RFC 9126) is", async () => {
  const plain = subjectOf("pushed", "private_key_jwt");
  const { provider } = subjectOfEntry({
    ...codeEntry("private_key_jwt"),
    pushed_authorization_url: `${server.issuer}/request`,
  });
  const subject = { ...plain, provider };
  const mode = getAuthMode("OAUTH2");

  const redirect = await mode.startAuthorization?.(subject, start, newTools());
  const credentials = await connect(subject);
  const { searchParams } = new URL(redirect?.location ?? "");
  expect([...searchParams.keys()]).toEqual(["client_id", "request_uri"]);
  expect(credentials["access_token"]).toEqual(expect.any(String));
  await expect(connect(plain)).rejects.toThrow();
  const refused = mode.startAuthorization?.(
    {
      ...subject,
      integrationCredentials: {
        type: "OAUTH2",
        client_id: "unknown",
        client_secret: "x",
        client_private_key: pem,
      },
    },
    start,
    newTools(),
  );
  await expect(refused).rejects.toMatchObject({ ending: "token_err" });
});

test("a code of another verifier is refused", async () => {
  const subject = subjectOf("post", "client_secret_post");
  const mode = getAuthMode("OAUTH2");
  const redirect = await mode.startAuthorization?.(subject, start, newTools());
  const query = await server.authorize(redirect?.location ?? "", redirectUri);

  const finish = { query, redirectUri, codeVerifier: `${codeVerifier}x` };
  const result = mode.finishAuthorization?.(subject, finish, newTools());

  await expect(result).rejects.toMatchObject({ ending: "token_request_failed" });
});

test.each([
  ["basic", "client_secret_basic", { client_secret: secret }],
  ["key", "private_key_jwt", { client_private_key: pem }],
])("client credentials of the client %s (%s)", async (clientId, method, proof) => {
  const subject = subjectOf(clientId, method, "OAUTH2_CC");
  const mode = getAuthMode("OAUTH2_CC");
  const given = { type: "OAUTH2_CC", client_id: clientId, ...proof };

  const minted = await mode.accept(subject, given, newTools());
  const renewed = await mode.refresh?.(subject, minted.credentials, newTools());

  expect(minted.credentials).toMatchObject({ token: expect.any(String), ...proof });
  expect(renewed?.credentials["token"]).not.toBe(minted.credentials["token"]);
  await expect(
    mode.accept(subject, { ...given, client_id: "unknown" }, newTools()),
  ).rejects.toMatchObject({ code: "connection_test_failed" });
});

test("MCP: a server is discovered, a client registered, and its tokens renewed", async () => {
  const subject = {
    ...subjectOfEntry({
      auth_mode: "MCP_OAUTH2_GENERIC",
      authorization_params: { prompt: "consent" },
      connection_config: { mcp_server_url: { title: "Server" } },
    }),
    connectionConfig: { mcp_server_url: `${server.issuer}/mcp` },
  };
  const mode = getAuthMode("MCP_OAUTH2_GENERIC");
  const wanted = { ...start, scopesOverride: "openid,offline_access" };
  const redirect = await mode.startAuthorization?.(subject, wanted, newTools());
  const query = await server.authorize(redirect?.location ?? "", redirectUri);
  const finish = { query, redirectUri, codeVerifier, remembered: redirect?.remember };

  const minted = await mode.finishAuthorization?.(subject, finish, newTools());
  const credentials = minted?.credentials ?? { type: "" };
  const renewed = await mode.refresh?.(subject, credentials, newTools());

  expect(new URL(redirect?.location ?? "").searchParams.get("resource")).toBe(
    `${server.issuer}/mcp`,
  );
  expect(credentials).toMatchObject({
    type: "OAUTH2",
    config_override: { client_id: expect.any(String) },
    authorization_server: { token_url: `${server.issuer}/token`, token_auth_method: "none" },
  });
  expect(renewed?.credentials["access_token"]).not.toBe(credentials["access_token"]);
});

test("MCP: a client is registered where the entry says so", async () => {
  const subject = subjectOfEntry({
    auth_mode: "MCP_OAUTH2",
    client_registration: "dynamic",
    registration_url: `${server.issuer}/reg`,
    authorization_url: `${server.issuer}/auth`,
    authorization_params: { prompt: "consent" },
    required_scopes: ["openid", "offline_access"],
    token_url: `${server.issuer}/token`,
    base_url: `${server.issuer}/mcp`,
  });

  const credentials = await connect(subject);
  const renewed = await getAuthMode("MCP_OAUTH2").refresh?.(subject, credentials, newTools());

  expect(credentials["config_override"]).toMatchObject({ client_id: expect.any(String) });
  expect(renewed?.credentials["config_override"]).toEqual(credentials["config_override"]);
});
