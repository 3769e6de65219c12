import { afterAll, beforeAll, expect, test } from "vitest";
import { completeConnection, getConnectionForCall, getFreshCredentials } from "#connections";
import { addMs, HOUR } from "#foundation";
import { createIntegration } from "#integrations";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { createSession, resultOf } from "./testing/end-user.ts";
import { type InstallingServer, startInstallingServer } from "./testing/installing-server.ts";

let server: ConnectServer;
let sentry: InstallingServer;

beforeAll(async () => {
  server = await startConnectServer();
  sentry = await startInstallingServer({ expiresAt: () => addMs(now(), 8 * HOUR) });
  await createIntegration(server.installation.ctx, {
    provider: "sentry-oauth",
    uniqueKey: "sentry",
    displayName: undefined,
    forwardWebhooks: true,
    custom: {},
    credentials: { type: "OAUTH2", client_id: "app", client_secret: "app-secret", scopes: "" },
    integrationConfig: { app_slug: "acme-sync" },
    settings: { overrides: { simulator_url: sentry.origin } },
  });
});
afterAll(async () => {
  await sentry[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function now(): Date {
  return server.installation.clock.now();
}

async function connect(token: string, query = "&params[orgSlug]=acme") {
  const answer = await server.call({
    method: "POST",
    url: `/auth/oauth-outbound/sentry?connect_session_token=${token}${query}`,
    payload: {},
  });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

test("an installation from outside is pending until the provider's webhook brings the code", async () => {
  const { ctx, clock } = server.installation;
  const token = await createSession(server, { allowed_integrations: ["sentry"] });

  const made = await connect(token);
  const { connectionId } = made.body;
  const shown = await resultOf(server, token);
  const name = { integrationKey: "sentry", connectionId };
  const pending = await getConnectionForCall(ctx, name);
  const reported = { code: "grant-code", installation_id: "a8e5d37a" };
  await completeConnection(ctx, { ...pending, reported });
  const found = await getConnectionForCall(ctx, name);
  const { credentials } = await getFreshCredentials(ctx, { ...found, force: false });
  clock.advance(8 * HOUR);
  const renewed = await getFreshCredentials(ctx, { ...found, force: false });

  expect(made).toMatchObject({
    status: 200,
    body: { providerConfigKey: "sentry", isPending: true },
  });
  expect(shown).toMatchObject({ state: "success", connection_id: connectionId, is_pending: true });
  expect(pending.connection.connectionConfig).toMatchObject({ orgSlug: "acme" });
  expect(found.connection.connectionConfig).toMatchObject({ installation_id: "a8e5d37a" });
  expect(credentials).toMatchObject({ type: "OAUTH2", access_token: "token for grant-code" });
  expect(renewed.credentials["access_token"]).toBe("token for refresh-1");
  expect(sentry.received).toEqual([
    [
      "/api/0/sentry-app-installations/a8e5d37a/authorizations/",
      {
        grant_type: "authorization_code",
        code: "grant-code",
        client_id: "app",
        client_secret: "app-secret",
      },
    ],
    [
      "/api/0/sentry-app-installations/a8e5d37a/authorizations/",
      {
        grant_type: "refresh_token",
        refresh_token: "refresh-1",
        client_id: "app",
        client_secret: "app-secret",
      },
    ],
  ]);
});

test("a pending connection is not lost for want of a token before it is completed", async () => {
  const { ctx } = server.installation;
  const { connectionId } = (await connect(await createSession(server))).body;

  const name = { integrationKey: "sentry", connectionId };
  const found = await getConnectionForCall(ctx, name);
  const { credentials } = await getFreshCredentials(ctx, { ...found, force: true });
  const { connection } = await getConnectionForCall(ctx, name);

  expect(credentials).toEqual({ type: "OAUTH2", pending: true });
  expect([connection.refresh.needsReauthorizationAt, connection.errors]).toEqual([undefined, []]);
});

test.each([
  ["the field that finds the webhook", "", "invalid_query_params"],
  ["a value of its form", "&params[orgSlug]=a/b", "invalid_query_params"],
])("asks for %s", async (_case, query, code) => {
  const answer = await connect(await createSession(server), query);

  expect([answer.status, answer.body.error.code]).toEqual([400, code]);
});

test("no browser is sent to a provider where the installation begins", async () => {
  const token = await createSession(server);

  const answer = await server.call({
    url: `/oauth/connect/sentry?connect_session_token=${token}&params[orgSlug]=acme`,
  });

  expect(answer.status).toBe(400);
  expect(answer.headers["location"]).toBeUndefined();
  expect((await resultOf(server, token)).error.type).toBe("invalid_auth_mode");
});
