import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { tlsCertificates } from "#foundation/egress/testing";
import { createIntegration } from "#integrations";
import { setReceiver } from "#problems/testing";
import { type Answer, type TestApp, testApp } from "#testing";
import { diagnosis } from "./index.ts";
import { moveIntegration } from "./testing/store.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let answer = 200;
let granted: string | undefined;
const provider = createServer((request, response) => {
  if (request.url === "/token") {
    const token = { access_token: "new", refresh_token: "next", expires_in: 3600, scope: granted };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(token));
    return;
  }
  response.statusCode = request.url === "/" ? 404 : answer;
  response.end('{"reason":"the key was revoked"}');
});
const secured = createTlsServer(tlsCertificates.server, (_request, response) => response.end());
let url = "";
let securedUrl = "";

beforeAll(async () => {
  app = await testApp({
    slices: [diagnosis],
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
  url = `http://127.0.0.1:${await listen(provider)}`;
  securedUrl = `https://127.0.0.1:${await listen(secured)}`;
});
afterAll(async () => {
  provider.close();
  secured.close();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
  answer = 200;
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  return (server.address() as AddressInfo).port;
}

/** Diagnoses a connection whose provider is moved to an address after it was made. */
async function diagnose(baseUrl: string): Promise<Answer> {
  const connectionId = randomUUID();
  const input = {
    ...{ displayName: undefined, forwardWebhooks: true, credentials: undefined },
    ...{ integrationConfig: {}, settings: {}, provider: "airtable-pat" },
  };
  const before = answer;
  answer = 200;
  const integration = await createIntegration(ctx, {
    ...input,
    uniqueKey: connectionId,
    custom: { base_url: url },
  });
  await createConnection(ctx, {
    ...{ integration, connectionId, metadata: undefined, connectionConfig: undefined },
    ...{ tags: undefined, webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  answer = before;
  await moveIntegration(ctx.db, ctx.environment.id, { uniqueKey: connectionId, baseUrl });
  const path = `/connections/${connectionId}/diagnose?provider_config_key=${connectionId}`;
  const response = await app.server.inject({ method: "POST", url: path });
  expect(response.statusCode).toBe(200);
  return response.json().data;
}

const statusesOf = ({ checks }: Answer) =>
  Object.fromEntries(checks.map(({ check, status }: Answer) => [check, status]));

test("all is well where the provider answers and accepts the credentials", async () => {
  const found = await diagnose(url);

  expect(found).toMatchObject({ status: "ok", cause: null, next_step: null });
  expect(statusesOf(found)).toEqual({
    ...{ dns: "ok", tls: "skipped", reachable: "ok", token: "ok", scopes: "skipped" },
    ...{ test_request: "ok", webhook_in: "skipped", webhook_out: "ok" },
  });
});

test("a refusal is the cause, with the provider's answer and without the key", async () => {
  answer = 401;

  const found = await diagnose(url);

  expect(found).toMatchObject({ status: "failed", cause: "test_request" });
  const check = found.checks.find((each: Answer) => each.check === "test_request");
  expect(check).toMatchObject({ code: "connection_test_failed", upstream: { status: 401 } });
  expect(check.upstream.body).toContain("revoked");
  expect(found.next_step).toContain("connect again");
});

test("a name that does not exist is distinguished from an address that may not be called", async () => {
  const unknown = await diagnose("http://no-such-host.invalid");
  const closed = await diagnose("http://10.1.2.3");

  expect(unknown).toMatchObject({ cause: "dns", host: "no-such-host.invalid" });
  expect(unknown.checks[0]).toMatchObject({ code: "upstream_dns_error" });
  expect(statusesOf(unknown)).toMatchObject({ reachable: "skipped" });
  expect(closed.checks[0]).toMatchObject({ code: "destination_not_allowed", status: "failed" });
  expect(closed.next_step).toContain("SVC_EGRESS_ALLOW");
});

test("a certificate that nobody trusts, and a port where nobody listens", async () => {
  const untrusted = await diagnose(securedUrl);
  const gone = await diagnose("http://127.0.0.1:1");

  expect(untrusted).toMatchObject({ cause: "tls" });
  expect(statusesOf(untrusted)).toMatchObject({ dns: "ok", tls: "failed", reachable: "skipped" });
  expect(gone).toMatchObject({ cause: "reachable" });
});

test("an endpoint that fails is a warning", async () => {
  const failing = { url: "http://127.0.0.1:9/hook", disabledAt: null };
  await setReceiver(ctx.db, ctx.environment.id, { ...failing, failingSince: ctx.clock.now() });

  const found = await diagnose(url);

  expect(found).toMatchObject({ status: "warning", cause: "webhook_out" });
});

/** Diagnoses a connection that asks for two scopes, and whose provider says at a refresh what it grants. */
async function diagnoseScopes(scope: string | undefined): Promise<Answer> {
  granted = scope;
  const uniqueKey = randomUUID();
  const integration = await createIntegration(ctx, {
    ...{ uniqueKey, displayName: undefined, forwardWebhooks: true, provider: "oauth2-generic" },
    ...{ custom: {}, settings: {} },
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "s", scopes: "read,write" },
    integrationConfig: {
      authorization_url: `${url}/authorize`,
      token_url: `${url}/token`,
      base_url: url,
    },
  });
  const expiresAt = new Date(ctx.clock.now().getTime() - 60_000).toISOString();
  await createConnection(ctx, {
    ...{ integration, connectionId: "c", metadata: undefined, connectionConfig: undefined },
    ...{ tags: undefined, webhookUrlOverride: undefined },
    credentials: { type: "OAUTH2", access_token: "a", refresh_token: "r", expires_at: expiresAt },
  });
  const path = `/connections/c/diagnose?provider_config_key=${uniqueKey}`;
  const response = await app.server.inject({ method: "POST", url: path });
  return response.json().data;
}

test("scopes that the provider did not grant are named, as text and as a list", async () => {
  const part = await diagnoseScopes("read");
  const all = await diagnoseScopes("write read");
  const silent = await diagnoseScopes(undefined);

  const scopesOf = ({ checks }: Answer) => checks.find(({ check }: Answer) => check === "scopes");
  expect(part).toMatchObject({ status: "warning", cause: "scopes" });
  expect(part.next_step).toContain("/connect/sessions/reconnect");
  expect(scopesOf(part)).toMatchObject({
    message: "The provider did not grant: write.",
    scopes: { asked: ["read", "write"], granted: ["read"], missing: ["write"] },
  });
  expect(scopesOf(all)).toMatchObject({ status: "ok", scopes: { missing: [] } });
  expect(scopesOf(silent)).toMatchObject({ status: "skipped", scopes: null });
});

test("a connection that is not there is 404", async () => {
  const path = "/connections/nobody/diagnose?provider_config_key=none";
  const response = await app.server.inject({ method: "POST", url: path });

  expect(response.json().error.code).toBe("unknown_provider_config");
});
