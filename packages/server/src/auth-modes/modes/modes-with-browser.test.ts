import { generateKeyPairSync, verify } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import { applyCredentials } from "../apply/apply-credentials.ts";
import type { AuthSubject, AuthTools, Credentials, OutgoingBody } from "../auth-mode.ts";
import { subjectOfEntry, subjectOfProvider } from "../testing/subject.ts";
import { startTokenServer } from "../testing/token-server.ts";
import { getAuthMode } from "./index.ts";

const server = await startTokenServer();
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });
const now = new Date("2026-05-01T12:00:00.000Z");
const tools: AuthTools = { http, now, signal: new AbortController().signal };
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

beforeEach(() => {
  server.received.length = 0;
  server.respond = undefined;
});

function applied(
  subject: AuthSubject,
  credentials: Credentials,
  call: { method?: string; url?: string; body?: OutgoingBody; contentType?: string } = {},
) {
  const { method = "GET", url = "https://api.example.com/a?b=c", contentType = "" } = call;
  return applyCredentials(getAuthMode(subject.provider.auth_mode), subject, credentials, {
    method,
    url,
    contentType,
    body: call.body ?? { kind: "none" },
    facts: { now, dpopNonce: undefined },
    toSentHeaders: ({ credentials: own }) =>
      new Map([...(contentType === "" ? [] : [["content-type", contentType] as const]), ...own]),
  });
}

const start = {
  redirectUri: "https://platform.example.com/oauth/callback",
  state: "S",
  codeVerifier: "v".repeat(43),
  scopesOverride: undefined,
  authorizationParams: {},
};
const finish = { redirectUri: start.redirectUri, codeVerifier: start.codeVerifier };

function readJwt(jwt: string): { header: object; claims: Record<string, unknown>; ok: boolean } {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const bytes = Buffer.from(signature, "base64url");
  const ok = verify("sha256", Buffer.from(`${header}.${claims}`), publicKey, bytes);
  return { header: parse(header), claims: parse(claims), ok };
}

test("OAuth 1: request token, callback, access token, and a signed call", async () => {
  const subject = subjectOfEntry(
    {
      auth_mode: "OAUTH1",
      request_token_url: `${server.url}/request`,
      authorization_url: "https://login.example.com/authorize",
      token_url: `${server.url}/access`,
      capture: { token: { user_id: "user_id" } },
    },
    { integrationCredentials: { type: "OAUTH1", client_id: "ck", client_secret: "cs" } },
  );
  const mode = getAuthMode("OAUTH1");
  server.respond = ({ url }) => ({
    body:
      url === "/request"
        ? "oauth_token=rt&oauth_token_secret=rs&oauth_callback_confirmed=true"
        : "oauth_token=at&oauth_token_secret=as&user_id=7",
  });

  const redirect = await mode.startAuthorization?.(subject, start, tools);
  const remembered = redirect?.remember;
  const query = { oauth_token: "rt", oauth_verifier: "ver", state: "S" };
  const minted = await mode.finishAuthorization?.(subject, { ...finish, query, remembered }, tools);
  const stranger = { ...finish, query: { ...query, oauth_token: "other" }, remembered };

  expect(redirect?.location).toBe("https://login.example.com/authorize?oauth_token=rt");
  expect(server.received.map(({ authorization }) => authorization)).toEqual([
    expect.stringContaining(
      `oauth_callback="${encodeURIComponent(`${start.redirectUri}?state=S`)}"`,
    ),
    expect.stringMatching(/oauth_token="rt".*oauth_verifier="ver"/),
  ]);
  expect(minted).toMatchObject({
    credentials: { type: "OAUTH1", oauth_token: "at", oauth_token_secret: "as" },
    capturedConfig: { user_id: "7" },
  });
  await expect(mode.finishAuthorization?.(subject, stranger, tools)).rejects.toMatchObject({
    ending: "invalid_callback",
  });
  const credentials = minted?.credentials ?? { type: "" };
  const header = applied(subject, credentials).credentials.get("authorization");
  expect(header).toMatch(/^OAuth oauth_consumer_key="ck".*oauth_token="at".*oauth_signature="/);
});

const appClient = {
  client_id: "Iv1",
  client_secret: "cs",
  app_id: "42",
  app_link: "https://github.example.com/apps/mine",
  private_key: pem,
};

function appEntry(mode: "APP" | "CUSTOM", extra: object = {}): AuthSubject {
  return subjectOfEntry(
    {
      auth_mode: mode,
      authorization_url: "{{client.app_link}}/installations/new",
      installation_token_url: `${server.url}/installations/{{config.installation_id}}/access_tokens`,
      ...extra,
    },
    { integrationCredentials: { type: mode, ...appClient } },
  );
}

test("APP: an installation's token, minted with the app's JWT", async () => {
  const subject = appEntry("APP");
  const mode = getAuthMode("APP");
  server.answer = { status: 201, body: '{"token":"ghs_1","expires_at":"2026-05-01T13:00:00Z"}' };

  const redirect = await mode.startAuthorization?.(subject, start, tools);
  const query = { installation_id: "77", setup_action: "install", state: "S" };
  const minted = await mode.finishAuthorization?.(subject, { ...finish, query }, tools);
  const waiting = mode.finishAuthorization?.(
    subject,
    { ...finish, query: { ...query, setup_action: "request" } },
    tools,
  );

  expect(redirect?.location).toBe("https://github.example.com/apps/mine/installations/new?state=S");
  expect(server.received[0]?.url).toBe("/installations/77/access_tokens");
  const { ok, claims } = readJwt(server.received[0]?.authorization?.slice("Bearer ".length) ?? "");
  expect(ok).toBe(true);
  expect(claims).toEqual({ iss: "42", iat: 1_777_636_740, exp: 1_777_637_280 });
  expect(minted).toMatchObject({
    credentials: { type: "APP", access_token: "ghs_1", expires_at: "2026-05-01T13:00:00.000Z" },
    capturedConfig: { installation_id: "77", app_id: "42" },
  });
  await expect(waiting).rejects.toMatchObject({ ending: "invalid_callback" });
  server.answer = { status: 404, body: "{}" };
  const gone = { ...subject, connectionConfig: minted?.capturedConfig ?? {} };
  await expect(mode.refresh?.(gone, { type: "APP" }, tools)).rejects.toMatchObject({
    kind: "revoked",
  });
});

test("CUSTOM: pending until the installation is known, which has to be the user's", async () => {
  const subject = appEntry("CUSTOM", {
    token_url: `${server.url}/token`,
    user_installations: { url: `${server.url}/user/installations`, list: "installations" },
  });
  const mode = getAuthMode("CUSTOM");
  server.respond = ({ url }) => {
    if (url === "/token") return { body: "access_token=gho_1&scope=" };
    if (url === "/user/installations") return { body: '{"installations":[{"id":77}]}' };
    return { status: 201, body: '{"token":"ghs_1"}' };
  };
  const finishWith = (query: Record<string, string>) =>
    mode.finishAuthorization?.(subject, { ...finish, query: { code: "C", ...query } }, tools);

  const pending = await finishWith({});
  const complete = await finishWith({ installation_id: "77" });
  const later = await mode.completeInstallation?.(
    subject,
    {
      credentials: pending?.credentials ?? { type: "" },
      reported: { installation_id: "77" },
    },
    tools,
  );

  expect(pending).toMatchObject({ isPending: true, credentials: { type: "OAUTH2" } });
  for (const minted of [complete, later]) {
    expect(minted?.credentials).toMatchObject({
      type: "APP",
      access_token: "ghs_1",
      user: { access_token: "gho_1" },
    });
    expect(JSON.stringify(minted?.capturedConfig)).not.toContain("gho_1");
  }
  await expect(finishWith({ installation_id: "78" })).rejects.toMatchObject({
    ending: "invalid_callback",
  });
});

test("CUSTOM: the user's tokens are renewed with the installation's, and a lost answer loses none", async () => {
  const subject = {
    ...appEntry("CUSTOM", { token_url: `${server.url}/token` }),
    connectionConfig: { installation_id: "77" },
  };
  const mode = getAuthMode("CUSTOM");
  let isDown = false;
  server.respond = ({ url }) => {
    if (url !== "/token") return { status: isDown ? 503 : 201, body: '{"token":"ghs_2"}' };
    return { body: '{"access_token":"gho_2","refresh_token":"ghr_2","expires_in":28800}' };
  };
  const user = { type: "OAUTH2", access_token: "gho_1", refresh_token: "ghr_1" };
  const at = (iso: string) => ({
    type: "APP",
    access_token: "ghs_1",
    user: { ...user, expires_at: iso },
  });
  const kept: unknown[] = [];
  const keeping = { ...tools, keepProgress: async (minted: object) => void kept.push(minted) };

  const renewed = await mode.refresh?.(subject, at("2026-05-01T13:00:00Z"), tools);
  const early = await mode.refresh?.(subject, at("2026-05-01T20:00:00Z"), tools);
  isDown = true;
  const failed = mode.refresh?.(subject, at("2026-05-01T13:00:00Z"), keeping);

  expect(renewed?.credentials).toMatchObject({
    access_token: "ghs_2",
    user: { access_token: "gho_2", refresh_token: "ghr_2" },
  });
  expect(early?.credentials["user"]).toMatchObject({ access_token: "gho_1" });
  await expect(failed).rejects.toMatchObject({ kind: "unavailable" });
  expect(kept.at(-1)).toMatchObject({
    credentials: { access_token: "ghs_1", user: { refresh_token: "ghr_2" } },
  });
});

test("INSTALL_PLUGIN: the plugin's user and password come with the callback", async () => {
  const subject: AuthSubject = {
    ...subjectOfProvider("wordpress-application-password"),
    connectionConfig: { site: "https://blog.example.com" },
  };
  const mode = getAuthMode("INSTALL_PLUGIN");

  const redirect = await mode.startAuthorization?.(subject, start, tools);
  const query = { user_login: "u", password: "p w", state: "S" };
  const minted = await mode.finishAuthorization?.(subject, { ...finish, query }, tools);

  expect(redirect?.location).toBe(
    `https://blog.example.com/wp-admin/authorize-application.php?app_name=Jackfield&success_url=${encodeURIComponent(`${start.redirectUri}?state=S`)}`,
  );
  expect(minted?.credentials).toEqual({ type: "BASIC", username: "u", password: "p w" });
  const header = applied(subject, minted?.credentials ?? { type: "" }).credentials;
  expect(header.get("authorization")).toBe(`Basic ${btoa("u:p w")}`);
  await expect(mode.accept(subject, { type: "INSTALL_PLUGIN" }, tools)).rejects.toMatchObject({
    code: "invalid_body",
    message: expect.stringContaining("connect session"),
  });
});
