import { afterAll, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress, type Egress } from "#foundation/egress";
import { callAsConnection } from "../apply/call-as-connection.ts";
import type { AuthSubject, AuthTools, Credentials } from "../auth-mode.ts";
import { getAuthMode } from "../modes/index.ts";
import { startOidcServer } from "../testing/oidc-server.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { startTokenServer } from "../testing/token-server.ts";
import { newProofKey } from "./dpop.ts";

const redirectUri = "https://platform.example.com/oauth/callback";
const common = {
  redirect_uris: [redirectUri],
  response_types: ["code" as const],
  grant_types: ["authorization_code", "refresh_token", "client_credentials"],
  token_endpoint_auth_method: "client_secret_post" as const,
  client_secret: "client-s3cret-of-bound-tokens",
};
const server = await startOidcServer([
  { ...common, client_id: "bound", dpop_bound_access_tokens: true },
  { ...common, client_id: "plain" },
]);
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** With what left, as path and status. */
function newTools(): AuthTools & { readonly sent: string[] } {
  const sent: string[] = [];
  const request: Egress["request"] = async (call) => {
    const answer = await http.request(call);
    sent.push(`${new URL(call.url).pathname} ${answer.status}`);
    return answer;
  };
  const { servers } = http;
  return {
    http: { request, servers },
    now: new Date(),
    signal: new AbortController().signal,
    sent,
  };
}

function subjectOf(clientId: string, dpop: string): AuthSubject {
  return subjectOfEntry(
    {
      auth_mode: "OAUTH2",
      dpop,
      authorization_url: `${server.issuer}/auth`,
      token_url: `${server.issuer}/token`,
      authorization_params: { prompt: "consent" },
      required_scopes: ["openid", "offline_access"],
      base_url: server.issuer,
    },
    {
      integrationCredentials: {
        type: "OAUTH2",
        client_id: clientId,
        client_secret: common.client_secret,
      },
    },
  );
}

const mode = getAuthMode("OAUTH2");
const codeVerifier = "0123456789abcdefghijklmnopqrstuvwxyz0123456789";

async function connect(subject: AuthSubject, tools = newTools()): Promise<Credentials> {
  const start = {
    redirectUri,
    state: "the state",
    codeVerifier,
    scopesOverride: undefined,
    authorizationParams: {},
  };
  const redirect = await mode.startAuthorization?.(subject, start, tools);
  const query = await server.authorize(redirect?.location ?? "", redirectUri);
  const finish = { query, redirectUri, codeVerifier, remembered: redirect?.remember };
  const minted = await mode.finishAuthorization?.(subject, finish, tools);
  return minted?.credentials ?? { type: "" };
}

/** The status with which the server shows who the token is for. */
async function ask(subject: AuthSubject, credentials: Credentials, tools = newTools()) {
  const call = { method: "GET", url: `${server.issuer}/me?x=1`, headers: {}, json: undefined };
  return (await callAsConnection(mode, subject, credentials, call, tools)).status;
}

test("tokens are bound to a key of the connection, with the nonces that the server asks for", async () => {
  const subject = subjectOf("bound", "ES256");
  const tools = newTools();

  const first = await connect(subject, tools);
  const asked = await ask(subject, first, tools);
  const renewed = await mode.refresh?.(subject, first, tools);
  const second = renewed?.credentials ?? { type: "" };
  const askedAgain = await ask(subject, second, tools);

  expect(first).toMatchObject({ dpop_key: expect.stringContaining("PRIVATE KEY") });
  expect(second["dpop_key"]).toBe(first["dpop_key"]);
  expect(second["access_token"]).not.toBe(first["access_token"]);
  expect([asked, askedAgain]).toEqual([200, 200]);
  expect(tools.sent).toEqual([
    // Neither the token endpoint nor the resource is asked twice once its nonce is known.
    "/token 400",
    "/token 200",
    "/me 401",
    "/me 200",
    "/token 200",
    "/me 200",
  ]);
});

test("each connection has a key of its own, and a token without its key is worth nothing", async () => {
  const subject = subjectOf("bound", "ES256");
  const [one, other] = [await connect(subject), await connect(subject)];
  const { dpop_key: _key, ...stolen } = one;

  const asked = [
    await ask(subject, one),
    await ask(subject, stolen),
    await ask(subject, { ...one, dpop_key: other["dpop_key"] }),
    await ask(subject, { ...one, dpop_key: newProofKey() }),
  ];

  expect(one["dpop_key"]).not.toBe(other["dpop_key"]);
  expect(asked).toEqual([200, 401, 401, 401]);
});

test("client credentials are bound too, and keep their key", async () => {
  const cc = getAuthMode("OAUTH2_CC");
  const subject = subjectOfEntry({
    auth_mode: "OAUTH2_CC",
    dpop: "ES256",
    token_url: `${server.issuer}/token`,
  });
  const { client_secret } = common;
  const given = { type: "OAUTH2_CC", client_id: "bound", client_secret };

  const { credentials } = await cc.accept(subject, given, newTools());
  const renewed = await cc.refresh?.(subject, credentials, newTools());

  expect(credentials).toMatchObject({ raw: { token_type: "DPoP" } });
  expect(renewed?.credentials).toMatchObject({
    raw: { token_type: "DPoP" },
    dpop_key: credentials["dpop_key"],
  });
});

test("tokens of a server that binds none are sent as bearer tokens", async () => {
  await using other = await startTokenServer();
  other.answer = { body: JSON.stringify({ access_token: "a", token_type: "Bearer" }) };
  const cc = getAuthMode("OAUTH2_CC");
  const entry = { auth_mode: "OAUTH2_CC", dpop: "ES256", token_url: `${other.url}/token` };
  const subject = subjectOfEntry(entry);

  const given = { type: "OAUTH2_CC", client_id: "c", client_secret: "s" };
  const { credentials } = await cc.accept(subject, given, newTools());
  const call = { method: "GET", url: `${other.url}/me`, headers: {}, json: undefined };
  await callAsConnection(cc, subject, credentials, call, newTools());

  expect(credentials).not.toHaveProperty("dpop_key");
  expect(other.received.at(-1)?.authorization).toBe("Bearer a");
});

test("a nonce that is none is not kept: each would have its place in memory", async () => {
  await using hostile = await startTokenServer();
  hostile.answer = { status: 401, headers: { "dpop-nonce": "n".repeat(10_000) } };
  const subject = subjectOf("bound", "ES256");
  const call = { method: "GET", url: hostile.url, headers: {}, json: undefined };
  const credentials = { type: "OAUTH2", access_token: "token", dpop_key: newProofKey() };

  await callAsConnection(mode, subject, credentials, call, newTools());

  expect(http.servers.find(hostile.url).dpopNonces).toEqual({});
});
