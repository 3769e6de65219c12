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

function readJwt(jwt: string): { header: object; claims: Record<string, unknown>; ok: boolean } {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  const parse = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const bytes = Buffer.from(signature, "base64url");
  const ok = verify("sha256", Buffer.from(`${header}.${claims}`), publicKey, bytes);
  return { header: parse(header), claims: parse(claims), ok };
}

test("TBA: signs with realm and HMAC-SHA256, forms included, and is tested at once", async () => {
  const known = subjectOfProvider("netsuite-tba", {}, {});
  const subject: AuthSubject = {
    ...known,
    integrationCredentials: { type: "TBA", client_id: "ck", client_secret: "cs" },
    connectionConfig: { accountId: "123-sb1" },
  };
  const credentials = { type: "TBA", token_id: "ti", token_secret: "ts" };
  const form = (text: string) => ({
    method: "POST",
    contentType: "application/x-www-form-urlencoded",
    body: { kind: "bytes", bytes: Buffer.from(text) } as const,
  });

  const one = applied(subject, credentials, form("a=1")).credentials.get("authorization") ?? "";
  const streamed = () => applied(subject, credentials, { ...form(""), body: { kind: "stream" } });
  const incomplete = getAuthMode("TBA").accept(
    { ...subject, connectionConfig: {} },
    credentials,
    tools,
  );

  expect(one).toMatch(/^OAuth realm="123_SB1", .*oauth_signature_method="HMAC-SHA256"/);
  expect(streamed).toThrow(expect.objectContaining({ code: "request_too_large" }));
  await expect(incomplete).rejects.toMatchObject({
    code: "invalid_body",
    details: [{ path: ["connection_config", "accountId"] }],
  });
});

test("JWT: signs with the connection's key, renews by itself", async () => {
  const subject: AuthSubject = {
    ...subjectOfProvider("snowflake-jwt"),
    connectionConfig: { subdomain: "x" },
  };
  server.answer = { status: 200, body: "{}" };
  const open = { ...subject, provider: { ...subject.provider, verification: undefined } };
  const given = {
    type: "JWT",
    accountIdentifier: "org-acc",
    userName: "bot",
    privateKey: pem,
  };

  const minted = await getAuthMode("JWT").accept(open, given, tools);
  const later = { ...tools, now: new Date("2026-05-01T13:00:00Z") };
  const renewed = await getAuthMode("JWT").refresh?.(open, minted.credentials, later);

  const { ok, claims } = readJwt(String(minted.credentials["token"]));
  expect(ok).toBe(true);
  expect(claims).toMatchObject({ sub: "ORG-ACC.BOT", iat: 1_777_636_800, exp: 1_777_640_400 });
  expect(claims["iss"]).toMatch(/^ORG-ACC\.BOT\.SHA256:[A-Za-z0-9+/]{43}=$/);
  expect(renewed?.expiresAt).toEqual(new Date("2026-05-01T14:00:00Z"));
  await expect(
    getAuthMode("JWT").accept(open, { ...given, privateKey: "SECRET" }, tools),
  ).rejects.toThrow(/^(?!.*SECRET).*sign/);
  await expect(
    getAuthMode("JWT").accept(open, { ...given, other: "x" }, tools),
  ).rejects.toMatchObject({ code: "invalid_body" });
});

test("TWO_STEP: a signed assertion, further steps, refresh, and another login when it is refused", async () => {
  const subject = subjectOfEntry({
    auth_mode: "TWO_STEP",
    signed_assertion: {
      alg: "RS256",
      key: "{{credentials.key}}",
      lifetime_s: 300,
      claims: { iss: "{{credentials.user}}" },
    },
    login: [
      {
        url: `${server.url}/login`,
        body_format: "json",
        params: { auth: { user: "{{credentials.user}}", proof: "{{assertion}}" }, remember: true },
        response: { access_token: "session.none" },
      },
      {
        url: `${server.url}/tenants/{{steps.0.tenant}}/token`,
        params: { ticket: "{{steps.0.ticket}}" },
      },
    ],
    refresh: { url: `${server.url}/renew`, params: { token: "{{credentials.refresh_token}}" } },
    inject: { headers: { "x-session": "{{credentials.token}}" } },
    credentials: {
      user: { title: "User" },
      key: { title: "Key", secret: true, format: "pem" },
    },
  });
  let isRefused = false;
  server.respond = ({ url }) => {
    if (url === "/login") return { body: '{"tenant":"t 1","ticket":"K"}' };
    if (url === "/renew" && isRefused) return { status: 400, body: '{"error":"invalid_grant"}' };
    return { body: `{"access_token":"T${url}","refresh_token":"R","expires_in":60}` };
  };
  const mode = getAuthMode("TWO_STEP");

  const minted = await mode.accept(subject, { type: "TWO_STEP", user: "u", key: pem }, tools);
  const renewed = await mode.refresh?.(subject, minted.credentials, tools);
  isRefused = true;
  const again = await mode.refresh?.(subject, minted.credentials, tools);

  const sent = JSON.parse(server.received[0]?.body ?? "");
  expect(sent).toMatchObject({ auth: { user: "u" }, remember: true });
  expect(readJwt(sent.auth.proof)).toMatchObject({ ok: true, claims: { iss: "u" } });
  expect(minted.credentials).toMatchObject({
    user: "u",
    token: "T/tenants/t%201/token",
    refresh_token: "R",
  });
  expect(renewed?.credentials).toMatchObject({ token: "T/renew", key: pem });
  expect(again?.credentials).toMatchObject({ token: "T/tenants/t%201/token" });
  expect([...applied(subject, minted.credentials).credentials]).toEqual([
    ["x-session", "T/tenants/t%201/token"],
  ]);
});

test("SIGNATURE: a WSSE token that its entry's form asks for", async () => {
  const subject = subjectOfProvider("emarsys");
  const open = { ...subject, provider: { ...subject.provider, verification: undefined } };
  const given = { type: "SIGNATURE", username: "u", password: "p" };

  const minted = await getAuthMode("SIGNATURE").accept(open, given, tools);

  expect(minted.expiresAt).toEqual(new Date("2026-05-01T12:05:00Z"));
  expect(applied(subject, minted.credentials).credentials.get("x-wsse")).toMatch(
    /^UsernameToken Username="u", PasswordDigest="[A-Za-z0-9+/]{54}==", Nonce="[0-9a-f]{32}", Created="2026-05-01T12:00:00Z"$/,
  );
});

test("BILL: a session with headers of its own, and refused credentials", async () => {
  const subject = subjectOfEntry({ auth_mode: "BILL", token_url: `${server.url}/login` });
  server.answer = { body: '{"sessionId":"S1","userId":"U1"}' };
  const given = { type: "BILL", username: "u", password: "p", organization_id: "o", dev_key: "d" };

  const minted = await getAuthMode("BILL").accept(subject, given, tools);
  server.answer = { status: 401, body: '{"error":"invalid_client"}' };
  const refused = getAuthMode("BILL").accept(subject, given, tools);

  expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
    username: "u",
    password: "p",
    organizationId: "o",
    devKey: "d",
  });
  expect(minted.expiresAt).toEqual(new Date("2026-05-01T12:30:00Z"));
  expect(Object.fromEntries(applied(subject, minted.credentials).credentials)).toEqual({
    devkey: "d",
    sessionid: "S1",
  });
  await expect(refused).rejects.toMatchObject({ code: "connection_test_failed" });
});

test("AWS SigV4: assumes the role and signs calls with its keys", async () => {
  const subject = subjectOfProvider("aws-sigv4", {
    service: "sqs",
    stsEndpointUrl: `${server.url}/`,
    awsAccessKeyId: "AKIDEXAMPLE",
    awsSecretAccessKey: "secret",
  });
  server.answer = {
    headers: { "content-type": "text/xml" },
    body: "<AssumeRoleResponse xmlns='https://sts.amazonaws.com/doc/2011-06-15/'><AssumeRoleResult><Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>sk</SecretAccessKey><SessionToken>st</SessionToken><Expiration>2026-05-01T13:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>",
  };
  const given = { type: "AWS_SIGV4", role_arn: "arn:aws:iam::1:role/r", region: "eu-west-1" };

  const minted = await getAuthMode("AWS_SIGV4").accept(subject, given, tools);
  const call = { method: "POST", url: "https://sqs.eu-west-1.amazonaws.com/" };
  const text = { ...call, body: { kind: "bytes", bytes: Buffer.from("a") } as const };
  const signed = applied(subject, minted.credentials, text).credentials;
  const other = { ...call, body: { kind: "bytes", bytes: Buffer.from("b") } as const };

  expect(server.received[0]?.body).toContain("Action=AssumeRole");
  expect(server.received[0]?.authorization).toMatch(
    /Credential=AKIDEXAMPLE\/20260501\/us-east-1\/sts\/aws4_request/,
  );
  expect(minted).toMatchObject({
    credentials: { access_key_id: "ASIA1", secret_access_key: "sk", session_token: "st" },
    expiresAt: new Date("2026-05-01T13:00:00Z"),
    capturedConfig: { region: "eu-west-1", service: "sqs" },
  });
  expect(signed.get("x-amz-security-token")).toBe("st");
  expect(signed.get("authorization")).toContain("/eu-west-1/sqs/aws4_request");
  expect(applied(subject, minted.credentials, other).credentials.get("authorization")).not.toBe(
    signed.get("authorization"),
  );
  expect(() => applied(subject, minted.credentials, { ...call, body: { kind: "stream" } })).toThrow(
    expect.objectContaining({ code: "request_too_large" }),
  );
});
