import { createHash } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthorizationStart, AuthSubject, AuthTools } from "../auth-mode.ts";
import { ProviderFailure } from "../observe/provider-failure.ts";
import { subjectOfProvider } from "../testing/subject.ts";
import { startTokenServer } from "../testing/token-server.ts";
import { getAuthMode } from "./index.ts";

const server = await startTokenServer();
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });
const now = new Date("2026-05-01T12:00:00.000Z");
const tools: AuthTools = { http, now, signal: new AbortController().signal };
const oauth2 = getAuthMode("OAUTH2");

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

beforeEach(() => {
  server.received.length = 0;
});

const addresses = {
  authorization_url: "https://login.example.com/authorize?tenant=7",
  token_url: `${server.url}/token`,
};

const start = {
  redirectUri: "http://127.0.0.1:3003/oauth/callback",
  state: "STATE",
  codeVerifier: "v".repeat(48),
  scopesOverride: undefined,
  authorizationParams: {},
};

const finish = { redirectUri: start.redirectUri, codeVerifier: start.codeVerifier };

function answerWith(body: unknown, status = 200, headers: Record<string, string> = {}): void {
  server.answer = { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}

async function startUrl(subject: AuthSubject, wanted: AuthorizationStart): Promise<URL> {
  const redirect = await oauth2.startAuthorization?.(subject, wanted, tools);
  return new URL(redirect?.location ?? "");
}

test("sends the browser to the provider with state, scopes and an S256 challenge", async () => {
  const subject = subjectOfProvider("oauth2-generic", addresses, { scopes: "read,write" });

  const url = await startUrl(subject, start);

  expect(url.origin + url.pathname).toBe("https://login.example.com/authorize");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: "7",
    response_type: "code",
    client_id: "the client",
    redirect_uri: "http://127.0.0.1:3003/oauth/callback",
    scope: "read write",
    state: "STATE",
    code_challenge: createHash("sha256").update(start.codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  });
});

test("follows the configured separator, leaves PKCE out, and takes overrides and parameters", async () => {
  const config = { ...addresses, scope_separator: ",", pkce: "none" };
  const subject = subjectOfProvider("oauth2-generic", config, { scopes: "a" });
  const wanted = { ...start, scopesOverride: "b,c", authorizationParams: { prompt: "consent" } };

  const url = await startUrl(subject, wanted);

  expect(url.searchParams.get("scope")).toBe("b,c");
  expect(url.searchParams.get("prompt")).toBe("consent");
  expect(url.searchParams.has("code_challenge")).toBe(false);
});

test.each([
  "state",
  "redirect_uri",
  "client_id",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "nonce",
  "State",
])("refuses %s among the caller's parameters", async (name) => {
  const subject = subjectOfProvider("oauth2-generic", addresses);
  const wanted = { ...start, authorizationParams: { [name]: "x" } };

  await expect(oauth2.startAuthorization?.(subject, wanted, tools)).rejects.toMatchObject({
    code: "invalid_query_params",
  });
});

test("exchanges the code with the client in the body", async () => {
  answerWith({ access_token: "A", refresh_token: "R", expires_in: 3600, team: { id: 7 } });
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const minted = await oauth2.finishAuthorization?.(
    subject,
    { ...finish, query: { code: "C&1" } },
    tools,
  );

  expect(server.received).toEqual([
    {
      method: "POST",
      url: "/token",
      authorization: undefined,
      accept: "application/json",
      contentType: "application/x-www-form-urlencoded",
      body: `grant_type=authorization_code&code=C%261&redirect_uri=http%3A%2F%2F127.0.0.1%3A3003%2Foauth%2Fcallback&code_verifier=${start.codeVerifier}&client_id=the+client&client_secret=s3cret%2B%2F%3D%26`,
    },
  ]);
  expect(minted).toEqual({
    credentials: {
      type: "OAUTH2",
      access_token: "A",
      refresh_token: "R",
      expires_at: "2026-05-01T13:00:00.000Z",
      raw: { access_token: "A", refresh_token: "R", expires_in: 3600, team: { id: 7 } },
    },
    expiresAt: new Date("2026-05-01T13:00:00.000Z"),
    issuedAt: now,
    capturedConfig: {},
  });
});

test("form-encodes id and secret for HTTP Basic", async () => {
  answerWith({ access_token: "A" });
  const config = { ...addresses, token_auth_method: "client_secret_basic" };
  const subject = subjectOfProvider("oauth2-generic", config);

  await oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

  const [request] = server.received;
  expect(request?.body).toBe("grant_type=refresh_token&refresh_token=R");
  expect(Buffer.from(request?.authorization?.slice(6) ?? "", "base64").toString()).toBe(
    "the+client:s3cret%2B%2F%3D%26",
  );
});

test("a public client sends its id and no secret", async () => {
  answerWith({ access_token: "A" });
  const subject = subjectOfProvider("oauth2-generic", { ...addresses, token_auth_method: "none" });

  await oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

  expect(server.received[0]?.body).toBe(
    "grant_type=refresh_token&refresh_token=R&client_id=the+client",
  );
  expect(server.received[0]?.authorization).toBeUndefined();
});

test("renews at the refresh URL where there is one", async () => {
  answerWith({ access_token: "A" });
  const config = { ...addresses, refresh_url: `${server.url}/renew` };
  const subject = subjectOfProvider("oauth2-generic", config);

  await oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

  expect(server.received[0]?.url).toBe("/renew");
});

test.each([{}, { refresh_token: "" }, { refresh_token: null }])(
  "keeps the old refresh token when the answer has %j",
  async (extra) => {
    answerWith({ access_token: "A2", ...extra });
    const subject = subjectOfProvider("oauth2-generic", addresses);

    const minted = await oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

    expect(minted?.credentials).toMatchObject({ access_token: "A2", refresh_token: "R" });
    expect(minted?.expiresAt).toBeUndefined();
  },
);

test("reads an answer that is a form", async () => {
  server.answer = {
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: "access_token=A%2B1&scope=repo%2Cgist&expires_in=60&refresh_token=R2",
  };
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const minted = await oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

  expect(minted?.credentials).toMatchObject({ access_token: "A+1", refresh_token: "R2" });
  expect(minted?.expiresAt).toEqual(new Date("2026-05-01T12:01:00.000Z"));
});

test.each([
  [{ expires_in: "120" }, "2026-05-01T12:02:00.000Z"],
  [{ expires_in: 1_777_640_400 }, "2026-05-01T13:00:00.000Z"],
  [{ expires_in: 1_777_640_400_000 }, "2026-05-01T13:00:00.000Z"],
  [{ expires_at: 1_777_640_400 }, "2026-05-01T13:00:00.000Z"],
  [{ expires_at: "2026-05-02T00:00:00Z" }, "2026-05-02T00:00:00.000Z"],
  [{ expires_in: -5 }, "2026-05-01T12:00:00.000Z"],
  [{ expires_in: 0 }, undefined],
  [{ expires_in: null }, undefined],
  [{ expires_in: "soon" }, undefined],
  [{}, undefined],
])("reads %j as expiry %s", async (extra, expected) => {
  answerWith({ access_token: "A", ...extra });
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const minted = await oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

  expect(minted?.expiresAt?.toISOString()).toBe(expected);
});

const failures: [string, Parameters<typeof answerWith>, ProviderFailure["kind"], number?][] = [
  ["invalid_grant", [{ error: "invalid_grant" }, 400], "revoked"],
  ["invalid_grant with 401", [{ error: "invalid_grant" }, 401], "revoked"],
  ["access_denied", [{ error: "access_denied" }, 400], "revoked"],
  ["interaction_required", [{ error: "interaction_required" }, 400], "revoked"],
  ["an error with status 200", [{ error: "bad_refresh_token" }, 200], "revoked"],
  ["an error as a form", ["error=bad_refresh_token&error_description=x", 200], "revoked"],
  ["HubSpot's own form", [{ status: "BAD_REFRESH_TOKEN", message: "x" }, 400], "revoked"],
  ["invalid_client", [{ error: "invalid_client" }, 401], "misconfigured"],
  ["unauthorized_client", [{ error: "unauthorized_client" }, 400], "misconfigured"],
  ["unsupported_grant_type", [{ error: "unsupported_grant_type" }, 400], "misconfigured"],
  ["invalid_scope", [{ error: "invalid_scope" }, 400], "misconfigured"],
  ["invalid_request", [{ error: "invalid_request" }, 400], "misconfigured"],
  ["404", ["not here", 404], "misconfigured"],
  ["408", ["", 408], "unavailable"],
  ["425", ["", 425], "unavailable"],
  ["429 in seconds", ["", 429, { "retry-after": "7" }], "unavailable", 7000],
  [
    "429 until a date",
    ["", 429, { "retry-after": "Fri, 01 May 2026 12:00:30 GMT" }],
    "unavailable",
    30_000,
  ],
  ["500", [{ error: "server_error" }, 500], "unavailable"],
  ["503", ["<html>down</html>", 503], "unavailable"],
  ["invalid_grant with 500", [{ error: "invalid_grant" }, 500], "unavailable"],
  ["temporarily_unavailable", [{ error: "temporarily_unavailable" }, 400], "unavailable"],
  ["a page", ["<html><a href=x>y</a></html>", 200], "unavailable"],
  ["nothing", ["", 200], "unavailable"],
  ["broken JSON", ['{"access_token":', 200], "unavailable"],
  ["no token", [{ token: "A" }, 200], "unavailable"],
  ["a token that is no text", [{ access_token: 7 }, 200], "unavailable"],
  ["an error that is no text", [{ error: { message: "x" } }, 400], "unavailable"],
];

test.each(failures)("tells %s apart", async (_, answer, kind, retryAfterMs) => {
  answerWith(...answer);
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const failure = await oauth2
    .refresh?.(subject, { type: "OAUTH2", refresh_token: "R-SECRET" }, tools)
    .catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(ProviderFailure);
  expect(failure).toMatchObject({ kind, retryAfterMs });
  expect(String(failure)).not.toMatch(/R-SECRET|s3cret/);
});

test("a connection that breaks is no verdict on the credentials", async () => {
  server.answer = { reset: true };
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const refresh = oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

  await expect(refresh).rejects.toMatchObject({ name: "ProviderFailure", kind: "unavailable" });
});

test("an address that egress closes is the integration's fault", async () => {
  const config = { ...addresses, token_url: "http://10.0.0.1/token" };
  const subject = subjectOfProvider("oauth2-generic", config);

  const refresh = oauth2.refresh?.(subject, { type: "OAUTH2", refresh_token: "R" }, tools);

  await expect(refresh).rejects.toMatchObject({ name: "ProviderFailure", kind: "misconfigured" });
});

test("without a refresh token only a new authorization helps", async () => {
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const refresh = oauth2.refresh?.(subject, { type: "OAUTH2", access_token: "A" }, tools);

  await expect(refresh).rejects.toMatchObject({ name: "ProviderFailure", kind: "revoked" });
  expect(server.received).toEqual([]);
});

test.each([
  [{ error: "access_denied" }, "authorization_cancelled"],
  [{ error: "server_error" }, "invalid_callback"],
  [{ error: "<script>" }, "invalid_callback"],
  [{}, "invalid_callback"],
  [{ code: "" }, "invalid_callback"],
])("a callback with %j ends as %s", async (query, type) => {
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const failure = await oauth2
    .finishAuthorization?.(subject, { ...finish, query }, tools)
    .catch((error: unknown) => error);

  expect(failure).toMatchObject({ name: "ProviderFailure", ending: type });
  expect(String(failure)).not.toContain("<script>");
  expect(server.received).toEqual([]);
});

test.each<[Record<string, string>, string | undefined]>([
  [{ code: "C", iss: "https://login.example.com" }, undefined],
  [{ code: "C", iss: "https://evil.example.com" }, "issuer_mismatch"],
  [{ code: "C" }, "issuer_mismatch"],
  [{ error: "access_denied", iss: "https://evil.example.com" }, "issuer_mismatch"],
])("with an issuer configured, %j ends as %s", async (query, type) => {
  answerWith({ access_token: "A" });
  const config = { ...addresses, issuer: "https://login.example.com" };
  const subject = subjectOfProvider("oauth2-generic", config);

  const result = await oauth2
    .finishAuthorization?.(subject, { ...finish, query }, tools)
    .catch((error: unknown) => error);

  expect(Reflect.get(Object(result), "ending")).toBe(type);
  expect(server.received).toHaveLength(type === undefined ? 1 : 0);
});

test("a token request that fails ends the authorization", async () => {
  answerWith({ error: "invalid_grant" }, 400);
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const result = oauth2.finishAuthorization?.(subject, { ...finish, query: { code: "C" } }, tools);

  await expect(result).rejects.toMatchObject({
    name: "ProviderFailure",
    ending: "token_request_failed",
    kind: "revoked",
  });
});

test("imports tokens as they are", async () => {
  const subject = subjectOfProvider("oauth2-generic", addresses);

  const minted = await oauth2.accept(
    subject,
    {
      type: "OAUTH2",
      access_token: "A",
      refresh_token: "R",
      expires_at: "2026-05-01T14:00:00+02:00",
    },
    tools,
  );

  expect(minted.expiresAt).toEqual(now);
  expect(minted.credentials).toMatchObject({
    access_token: "A",
    refresh_token: "R",
    expires_at: "2026-05-01T12:00:00.000Z",
  });
});

test("puts the access token into the request", () => {
  const subject = subjectOfProvider("github");
  const request = {
    method: "GET",
    url: "",
    headers: new Map(),
    query: new Map(),
    bodyFields: new Map(),
    pathSegments: [],
  };

  oauth2.apply(subject, { type: "OAUTH2", access_token: "A" }, request);

  expect([...request.headers]).toEqual([["authorization", "Bearer A"]]);
});

test("a host that the end user mistyped is reported as their mistake", async () => {
  const subject: AuthSubject = {
    ...subjectOfProvider("zendesk", {}),
    connectionConfig: { subdomain: "evil.example#" },
  };

  const begun = startUrl(subject, start);

  await expect(begun).rejects.toMatchObject({
    code: "invalid_query_params",
    details: [{ path: ["params", "subdomain"] }],
  });
});
