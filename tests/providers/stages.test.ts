import { afterAll, beforeAll, expect, test } from "vitest";
import {
  startTokenServer,
  type TokenServer,
} from "../../packages/server/src/auth-modes/testing/token-server.ts";
import { type ApiUnderTest, startApi } from "../api/api-under-test.ts";
import { type Api, apiOf } from "../journeys/api.ts";

let api: ApiUnderTest;
let vendor: TokenServer;
let call: Api;
let other: Api;

beforeAll(async () => {
  vendor = await startTokenServer();
  api = await startApi();
  call = apiOf(api.url, await api.keyOf("dev", ["environment:*"]));
  other = apiOf(api.url, await api.keyOf("prod", ["environment:*"]));
  await call("POST", "/integrations", {
    body: {
      provider: "oauth2-generic",
      unique_key: "crm",
      credentials: { type: "OAUTH2", client_id: "id", client_secret: "client-secret-1" },
      integration_config: {
        authorization_url: `${vendor.url}/authorize`,
        token_url: `${vendor.url}/token`,
        base_url: vendor.url,
      },
    },
  });
  await call("POST", "/integrations", {
    body: {
      provider: "openai",
      unique_key: "ai",
      settings: { overrides: { simulator_url: vendor.url } },
    },
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const credentials = {
  type: "OAUTH2",
  access_token: "old-access",
  refresh_token: "old-refresh-token",
  expires_at: "2020-01-01T00:00:00.000Z",
};

test("a connection shows where and how the provider refused it, and so do its logs", async () => {
  vendor.answer = {
    status: 400,
    body: '{"error":"invalid_grant","error_description":"old-refresh-token is gone"}',
  };
  const failure = {
    stage: "refresh",
    upstream: {
      status: 400,
      body: '{"error":"invalid_grant","error_description":"[hidden] is gone"}',
    },
  };
  await call("POST", "/connections", {
    body: { provider_config_key: "crm", connection_id: "c", credentials },
  });

  const refused = await call("GET", "/connections/c?provider_config_key=crm");
  const plain = await call("GET", "/connections");
  const listed = await call("GET", "/connections?include=error_details");
  const [error] = listed.body.connections[0].errors;
  const logged = await call("GET", `/logs/operations/${error.log_id}`);

  expect(refused.body.error).toMatchObject({ code: "invalid_credentials", errors: [failure] });
  expect(plain.body.connections[0].errors).toEqual([{ type: "auth", log_id: error.log_id }]);
  expect(error).toMatchObject({ type: "auth", ...failure });
  expect(logged.body.data.error).toMatchObject({ type: "revoked", ...failure });
});

test("an import that the provider refuses reports the same, an end user gets plain words", async () => {
  vendor.answer = { status: 401, body: '{"error":{"message":"Incorrect API key"}}' };
  const typed = { type: "API_KEY", apiKey: "wrong-key" };
  const session = await call("POST", "/connect/sessions", {
    body: { end_user: { id: "u" }, allowed_integrations: ["ai"] },
  });
  const { token } = session.body.data;

  const refused = await call("POST", "/connections", {
    body: { provider_config_key: "ai", credentials: typed },
  });
  const answer = await fetch(`${api.url}/api-auth/api-key/ai?connect_session_token=${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiKey: "wrong-key" }),
  });
  const shown: unknown = await answer.json();
  const { body: logs } = await call("GET", "/logs/operations?states=failed&integrations=ai");

  const failure = {
    stage: "verification",
    upstream: { status: 401, body: '{"error":{"message":"Incorrect API key"}}' },
  };
  expect(refused.body.error).toMatchObject({ code: "connection_test_failed", errors: [failure] });
  expect(shown).toEqual({
    error: {
      code: "connection_test_failed",
      message: "OpenAI refused these credentials; check them and try again.",
    },
  });
  expect(logs.data).toHaveLength(2);
  expect(logs.data[0].error).toMatchObject(failure);
});

test("each stage is counted by provider and day, for its own environment", async () => {
  const day = new Date().toISOString().slice(0, 10);

  const all = await call("GET", "/provider-stages");
  const one = await call("GET", `/provider-stages?provider=openai&from=${day}&to=${day}`);
  const past = await call("GET", "/provider-stages?to=2020-01-01");
  const theirs = await other("GET", "/provider-stages");

  expect(one.body.data).toEqual([
    { day, provider: "openai", stage: "verification", succeeded: 0, failed: 2 },
  ]);
  expect(all.body.data).toContainEqual({
    day,
    provider: "oauth2-generic",
    stage: "refresh",
    succeeded: 0,
    failed: 1,
  });
  expect([past.body.data, theirs.body.data]).toEqual([[], []]);
});
