import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { addMs, createLogger, HOUR, MINUTE, SECOND } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthTools, Minted } from "../auth-mode.ts";
import { getAuthMode } from "../modes/index.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { type ReceivedRequest, startTokenServer } from "../testing/token-server.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const server = await startTokenServer();

afterAll(async () => await server[Symbol.asyncDispose]());
beforeEach(() => {
  server.received.length = 0;
});

function newTools(): AuthTools & AsyncDisposable {
  const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });
  return {
    http,
    now: new Date(),
    signal: new AbortController().signal,
    [Symbol.asyncDispose]: async () => await http[Symbol.asyncDispose](),
  };
}

function claimsOf(jwt = ""): { iat?: number } {
  return JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString() || "{}");
}

/** A server that takes what is dated within a minute of its clock. */
function insist(
  aheadMs: number,
  { date, answer }: { date: (request: ReceivedRequest) => number; answer: string },
): void {
  server.respond = (request) => {
    const now = Date.now() + aheadMs;
    const headers = { date: new Date(now).toUTCString() };
    const isTimely = Math.abs(date(request) - now) < MINUTE;
    return isTimely
      ? { headers, body: answer }
      : { status: 401, headers, body: '{"error":"invalid_client"}' };
  };
}

const now = () => Math.floor(Date.now() / SECOND);
const client = { type: "OAUTH2", client_id: "c", client_secret: "s", client_private_key: pem };
const bearer = ({ authorization }: ReceivedRequest) =>
  (claimsOf(authorization?.split(" ")[1]).iat ?? 0) * SECOND;

const cases = [
  {
    name: "a client's assertion (RFC 7523)",
    date: ({ body }: ReceivedRequest) => {
      const { iat = 0 } = claimsOf(new URLSearchParams(body).get("client_assertion") ?? "");
      return iat * SECOND;
    },
    answer: () => `{"access_token":"a","expires_in":3600}`,
    run: async (tools: AuthTools) => {
      const subject = subjectOfEntry({
        auth_mode: "OAUTH2_CC",
        token_url: `${server.url}/token`,
        token_auth_method: "private_key_jwt",
      });
      const given = { type: "OAUTH2_CC", client_id: "c", client_private_key: pem };
      return await getAuthMode("OAUTH2_CC").accept(subject, given, tools);
    },
  },
  {
    name: "an app's token",
    date: (request: ReceivedRequest) => bearer(request) + MINUTE,
    answer: () =>
      JSON.stringify({ token: "a", expires_at: new Date(clock() + HOUR).toISOString() }),
    run: async (tools: AuthTools) => {
      const subject = subjectOfEntry(
        {
          auth_mode: "APP",
          authorization_url: "https://app.example.com",
          installation_token_url: `${server.url}/token`,
        },
        { integrationCredentials: { type: "APP", app_id: "1", private_key: pem } },
      );
      const given = { type: "APP", app_id: "1", installation_id: "2" };
      return await getAuthMode("APP").accept(subject, given, tools);
    },
  },
  {
    name: "a role's keys (AWS Signature Version 4)",
    date: ({ headers }: ReceivedRequest) => {
      const text = String(headers?.["x-amz-date"]);
      return Date.parse(text.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
    },
    answer: () => {
      const end = new Date(clock() + HOUR).toISOString();
      const keys = { AccessKeyId: "k", SecretAccessKey: "s", SessionToken: "t", Expiration: end };
      const result = { AssumeRoleResult: { Credentials: keys } };
      return JSON.stringify({ AssumeRoleResponse: result });
    },
    run: async (tools: AuthTools) => {
      const subject = subjectOfEntry({
        auth_mode: "AWS_SIGV4",
        service: "s3",
        region: "eu-west-1",
        sts: { url: server.url, access_key_id: "k", secret_access_key: "s" },
        credentials: { role_arn: { title: "Role", description: "Its ARN." } },
      });
      const given = { type: "AWS_SIGV4", role_arn: "arn:aws:iam::1:role/r" };
      return await getAuthMode("AWS_SIGV4").accept(subject, given, tools);
    },
  },
  {
    name: "a login's assertion",
    date: ({ body }: ReceivedRequest) => (claimsOf(JSON.parse(body).assertion).iat ?? 0) * SECOND,
    answer: () => JSON.stringify({ token: "a", expires_at: Math.floor(clock() / SECOND) + 3600 }),
    run: async (tools: AuthTools) => {
      const subject = subjectOfEntry({
        auth_mode: "TWO_STEP",
        signed_assertion: { alg: "RS256", key: "{{credentials.key}}", lifetime_s: 60 },
        login: [
          {
            url: `${server.url}/login`,
            body_format: "json",
            params: { assertion: "{{assertion}}" },
            response: { access_token: "token" },
          },
        ],
        credentials: { key: { title: "Key", description: "PEM.", secret: true } },
      });
      return await getAuthMode("TWO_STEP").accept(subject, { type: "TWO_STEP", key: pem }, tools);
    },
  },
  {
    name: "a token that is signed here",
    date: bearer,
    answer: () => "{}",
    run: async (tools: AuthTools) => {
      const subject = subjectOfEntry({
        auth_mode: "JWT",
        base_url: server.url,
        verification: { path: "/me" },
        signed_token: { alg: "RS256", key: "{{credentials.key}}", lifetime_s: 3600 },
        credentials: { key: { title: "Key", description: "PEM.", secret: true } },
      });
      return await getAuthMode("JWT").accept(subject, { type: "JWT", key: pem }, tools);
    },
  },
];

let aheadMs = 0;
const clock = () => Date.now() + aheadMs;

const skews = [
  ["ahead", 10 * MINUTE],
  ["behind", -10 * MINUTE],
] as const;

test.each(cases.flatMap((one) => skews.map(([side, ms]) => [one.name, side, ms, one] as const)))(
  "%s is dated by a server's clock that is %s, and ends by ours",
  async (_name, _side, ms, one) => {
    await using tools = newTools();
    aheadMs = ms;
    insist(ms, { date: one.date, answer: one.answer() });

    const first: Minted = await one.run(tools);
    const asked = server.received.length;
    await one.run(tools);

    const endsInMs = (first.expiresAt?.getTime() ?? 0) - tools.now.getTime();
    expect(Math.abs(endsInMs - HOUR)).toBeLessThan(10 * SECOND);
    // Refused once for its time; then the time is known.
    expect([asked, server.received.length]).toEqual([2, 3]);
  },
);

test("OAuth 1: the time of a signature is the server's", async () => {
  await using tools = newTools();
  const subject = subjectOfEntry(
    {
      auth_mode: "OAUTH1",
      request_token_url: `${server.url}/request`,
      authorization_url: `${server.url}/authorize`,
      token_url: `${server.url}/token`,
    },
    { integrationCredentials: client },
  );
  insist(10 * MINUTE, {
    date: ({ authorization = "" }) =>
      Number(/oauth_timestamp="(\d+)"/.exec(authorization)?.[1]) * SECOND,
    answer: "oauth_token=t&oauth_token_secret=s",
  });
  const start = {
    redirectUri: "https://platform.example.com/oauth/callback",
    state: "s",
    codeVerifier: "v",
    scopesOverride: undefined,
    authorizationParams: {},
  };

  const redirect = await getAuthMode("OAUTH1").startAuthorization?.(subject, start, tools);

  expect(redirect?.location).toContain("oauth_token=t");
  expect(server.received).toHaveLength(2);
});

test.each([
  ["was never set", { date: new Date(0).toUTCString() }],
  ["is a cache's", { date: new Date(Date.now() - HOUR).toUTCString(), age: "3600" }],
  ["is none", { date: "yesterday" }],
])("a Date that %s moves nothing", async (_name, headers) => {
  await using tools = newTools();
  server.respond = () => ({ headers, body: `{"access_token":"a","expires_at":${now() + 3600}}` });
  const subject = subjectOfEntry({ auth_mode: "OAUTH2_CC", token_url: `${server.url}/token` });
  const given = { type: "OAUTH2_CC", client_id: "c", client_secret: "s" };

  const { expiresAt } = await getAuthMode("OAUTH2_CC").accept(subject, given, tools);

  const wantedMs = addMs(tools.now, HOUR).getTime();
  expect(Math.abs((expiresAt?.getTime() ?? 0) - wantedMs)).toBeLessThan(10 * SECOND);
});

test("a request that nothing dates is not made twice for the clock's sake", async () => {
  await using tools = newTools();
  insist(10 * MINUTE, { date: () => 0, answer: "" });
  const subject = subjectOfEntry({ auth_mode: "OAUTH2_CC", token_url: `${server.url}/token` });
  const given = { type: "OAUTH2_CC", client_id: "c", client_secret: "s" };

  await expect(getAuthMode("OAUTH2_CC").accept(subject, given, tools)).rejects.toThrow();

  expect(server.received).toHaveLength(1);
});
