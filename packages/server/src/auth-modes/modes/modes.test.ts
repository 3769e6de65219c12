import { getProvider } from "@jackfield/catalogue";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthSubject, AuthTools, Credentials, OutgoingRequest } from "../auth-mode.ts";
import { subjectOfProvider } from "../testing/subject.ts";
import { startTokenServer } from "../testing/token-server.ts";
import { getAuthMode } from "./index.ts";

const server = await startTokenServer();
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });
const now = new Date("2026-05-01T12:00:00.000Z");
const tools: AuthTools = { http, now, signal: new AbortController().signal };

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

beforeEach(() => {
  server.received.length = 0;
  server.answer = {};
});

function apply(subject: AuthSubject, credentials: Credentials): OutgoingRequest {
  const request = {
    method: "GET",
    url: "",
    headers: new Map(),
    query: new Map(),
    bodyFields: new Map(),
    pathSegments: [],
  };
  getAuthMode(subject.provider.auth_mode).apply(subject, credentials, request);
  return request;
}

test("client credentials: mints with the connection's own client", async () => {
  server.answer = { body: JSON.stringify({ access_token: "T", expires_in: 60 }) };
  const config = { token_url: `${server.url}/token`, scopes: "a,b" };
  const subject = subjectOfProvider("oauth2-cc-generic", config);
  const given = { type: "OAUTH2_CC", client_id: "id", client_secret: "secret" };

  const minted = await getAuthMode("OAUTH2_CC").accept(subject, given, tools);

  expect(server.received[0]?.body).toBe(
    "grant_type=client_credentials&scope=a+b&client_id=id&client_secret=secret",
  );
  expect(minted).toEqual({
    credentials: {
      type: "OAUTH2_CC",
      client_id: "id",
      client_secret: "secret",
      token: "T",
      expires_at: "2026-05-01T12:01:00.000Z",
      raw: { access_token: "T", expires_in: 60 },
    },
    expiresAt: new Date("2026-05-01T12:01:00.000Z"),
    issuedAt: now,
    capturedConfig: {},
  });
  expect([...apply(subject, minted.credentials).headers]).toEqual([["authorization", "Bearer T"]]);
});

test("client credentials: keeps an imported token and mints the next", async () => {
  server.answer = { body: JSON.stringify({ access_token: "T2" }) };
  const mode = getAuthMode("OAUTH2_CC");
  const subject = subjectOfProvider("oauth2-cc-generic", { token_url: `${server.url}/token` });
  const given = { type: "OAUTH2_CC", client_id: "id", client_secret: "secret", token: "T1" };

  const first = await mode.accept(subject, given, tools);
  expect(server.received).toEqual([]);
  const second = await mode.refresh?.(subject, first.credentials, tools);

  expect(first.credentials["token"]).toBe("T1");
  expect(second?.credentials).toMatchObject({ token: "T2", client_id: "id" });
});

test("client credentials: a refused client is reported at once", async () => {
  server.answer = { status: 401, body: JSON.stringify({ error: "invalid_client" }) };
  const subject = subjectOfProvider("oauth2-cc-generic", { token_url: `${server.url}/token` });
  const given = { type: "OAUTH2_CC", client_id: "id", client_secret: "wrong" };

  const accepting = getAuthMode("OAUTH2_CC").accept(subject, given, tools);

  await expect(accepting).rejects.toMatchObject({ code: "connection_test_failed" });
  await expect(accepting).rejects.not.toThrow("wrong");
});

test("basic: UTF-8 user and password, the password may be empty", async () => {
  const subject = subjectOfProvider("private-api-basic");
  const mode = getAuthMode("BASIC");

  const full = await mode.accept(
    subject,
    { type: "BASIC", username: "jé", password: "p:w" },
    tools,
  );
  const short = await mode.accept(subject, { type: "BASIC", username: "u" }, tools);

  expect(apply(subject, full.credentials).headers.get("authorization")).toBe("Basic asOpOnA6dw==");
  expect(apply(subject, short.credentials).headers.get("authorization")).toBe("Basic dTo=");
});

test("none: adds nothing", async () => {
  const subject = subjectOfProvider("unauthenticated");

  const { credentials } = await getAuthMode("NONE").accept(subject, { type: "NONE" }, tools);

  expect(credentials).toEqual({ type: "NONE" });
  const request = apply(subject, credentials);
  expect([request.headers.size, request.query.size]).toEqual([0, 0]);
});

const generic = { baseUrl: "https://api.example.com", keyName: "X-Api-Key" };

test("API key: header, query and form as the integration says", () => {
  const credentials = { type: "API_KEY", apiKey: "K {{credentials.apiKey}}" };
  const header = subjectOfProvider("private-api-generic", generic);
  const query = subjectOfProvider("private-api-generic", {
    ...generic,
    keyPlacement: "query",
    valueTemplate: "key-{{credentials.apiKey}}",
  });

  expect([...apply(header, credentials).headers]).toEqual([
    ["x-api-key", "K {{credentials.apiKey}}"],
  ]);
  expect([...apply(query, credentials).query]).toEqual([
    ["X-Api-Key", "key-K {{credentials.apiKey}}"],
  ]);
});

test("API key: a key with a line break never reaches a header", () => {
  const subject = subjectOfProvider("private-api-bearer");

  expect(() => apply(subject, { type: "API_KEY", apiKey: "K\r\nx-evil: 1" })).toThrow(
    expect.objectContaining({ name: "TemplateError" }),
  );
});

test.each([
  [{ keyName: "content-length" }, "keyName"],
  [{ keyName: "x y" }, "keyName"],
  [{ keyName: "x\r\ny" }, "keyName"],
  [{ valueTemplate: "no key" }, "valueTemplate"],
  [{ valueTemplate: "{{credentials.other}}{{credentials.apiKey}}" }, "valueTemplate"],
  [{ valueTemplate: "{{config.x}}" }, "valueTemplate"],
  [{ valueTemplate: "{{apiKey}}" }, "valueTemplate"],
  [{ keyName: "any thing", keyPlacement: "query" }, undefined],
  [{}, undefined],
])("API key: the configuration %j is at fault in %s", (config, field) => {
  const { provider, integrationConfig } = subjectOfProvider("private-api-generic", {
    ...generic,
    ...config,
  });

  const faults = getAuthMode("API_KEY").checkConfig?.(provider, integrationConfig);

  expect(faults?.map((fault) => fault.field)).toEqual(field === undefined ? [] : [field]);
});

/** OpenAI's entry with its host moved to the test's server by the integration's own setting. */
function openai(): AuthSubject {
  const provider = getProvider("openai");
  if (provider === undefined) throw new Error("openai is in the catalogue");
  return { ...subjectOfProvider("openai"), integrationConfig: { base_url: server.url } };
}

test("verifies a key with the call that the entry names", async () => {
  server.answer = { status: 200, body: "{}" };

  const minted = await getAuthMode("API_KEY").accept(
    openai(),
    { type: "API_KEY", apiKey: "sk-1" },
    tools,
  );

  expect(server.received[0]).toMatchObject({
    method: "GET",
    url: "/v1/models",
    authorization: "Bearer sk-1",
  });
  expect(minted.credentials).toEqual({ type: "API_KEY", apiKey: "sk-1" });
});

test.each([
  [{ status: 401 }, "refused these credentials"],
  [{ status: 403 }, "refused these credentials"],
  [{ status: 503 }, "could not be checked"],
  [{ reset: true }, "could not be checked"],
])("does not take a key when the check ends with %j", async (answer, message) => {
  server.answer = answer;

  const accepting = getAuthMode("API_KEY").accept(
    openai(),
    { type: "API_KEY", apiKey: "sk-SECRET" },
    tools,
  );

  await expect(accepting).rejects.toMatchObject({
    code: "connection_test_failed",
    message: expect.stringContaining(message),
  });
  await expect(accepting).rejects.not.toThrow("sk-SECRET");
});

test("refuses credentials of another type, and missing ones", async () => {
  const subject = subjectOfProvider("private-api-bearer");
  const mode = getAuthMode("API_KEY");

  await expect(mode.accept(subject, { type: "BASIC" }, tools)).rejects.toMatchObject({
    code: "invalid_auth_mode",
  });
  await expect(mode.accept(subject, { type: "API_KEY", apiKey: "" }, tools)).rejects.toMatchObject({
    code: "invalid_body",
  });
});
