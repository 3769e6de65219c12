import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createConnection, refreshConnectionNow, updateConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { deployFunctions } from "#functions";
import { newAction, newSync, newUpload } from "#functions/testing";
import { createIntegration } from "#integrations";
import { type Answer, type TestApp, testApp } from "#testing";
import { diagnosis } from "./index.ts";

let app: TestApp;
let ctx: EnvironmentContext;
/** Of a provider that says what it grants when it renews a token. */
let tokenUrl = "";
const provider = createServer((_request, response) => {
  const token = { access_token: "of-the-user", expires_in: 3600, scope: "read admin" };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ...token, refresh_token: "of-the-refresh" }));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  tokenUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/token`;
  app = await testApp({
    slices: [diagnosis],
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
});
afterAll(async () => {
  provider.close();
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  ctx = await app.addEnvironment();
});

const SECRETS = ["of-the-user", "of-the-refresh", "of-the-subscription", "of-the-client"];

/** A connection of an integration that asks for two scopes. */
async function connect(
  credentials: object,
  { config }: { config?: Readonly<Record<string, string>> } = {},
) {
  const integration = await createIntegration(ctx, {
    ...{ uniqueKey: "crm", displayName: undefined, forwardWebhooks: true },
    ...{ provider: "oauth2-generic", custom: {}, settings: {} },
    credentials: {
      type: "OAUTH2",
      client_id: "id",
      client_secret: "of-the-client",
      scopes: "read,write",
    },
    integrationConfig: {
      authorization_url: "http://127.0.0.1:9/authorize",
      token_url: tokenUrl,
      base_url: "http://127.0.0.1:9",
    },
  });
  const { connection } = await createConnection(ctx, {
    ...{ integration, connectionId: "c", metadata: undefined, connectionConfig: config },
    ...{ tags: undefined, webhookUrlOverride: undefined },
    credentials: { type: "OAUTH2", access_token: "of-the-user", ...credentials },
  });
  return { integration, connection };
}

async function summarize(): Promise<Answer> {
  const path = "/connections/c/credential-summary?provider_config_key=crm";
  const response = await app.server.inject({ method: "GET", url: path });
  expect(response.statusCode).toBe(200);
  for (const secret of SECRETS) expect(response.body).not.toContain(secret);
  return response.json().data;
}

test("fields are named without their values, the webhook secret too", async () => {
  const expiresAt = "2090-01-01T00:00:00.000Z";
  const named = await connect({ refresh_token: "of-the-refresh", expires_at: expiresAt });
  await updateConnection(ctx, named, {
    ...{ tags: undefined, endUser: undefined, webhookUrlOverride: undefined },
    webhookSecret: "of-the-subscription",
  });

  expect(await summarize()).toMatchObject({
    ...{ type: "OAUTH2", version: 1, issued_at: null, expires_at: expiresAt },
    fields: ["access_token", "refresh_token", "raw", "webhook_secret"],
  });
});

test("scopes of the integration and of its enabled functions are compared with those granted", async () => {
  await refreshConnectionNow(ctx, await connect({ refresh_token: "of-the-refresh" }));
  const given = { providerConfigKey: "crm" };
  await deployFunctions(
    ctx,
    newUpload({
      flowConfigs: [
        newSync("contacts", { ...given, metadata: { scopes: ["read", "contacts.read"] } }),
        newAction("list", { ...given, metadata: { scopes: ["contacts.read"] } }),
      ],
    }),
  );

  const { scopes, version, issued_at: issuedAt } = await summarize();

  expect({ version, issuedAt }).toEqual({ version: 2, issuedAt: ctx.clock.now().toISOString() });
  expect(scopes).toEqual({
    granted: ["read", "admin"],
    wanted: [
      { scope: "read", by_integration: true, functions: ["contacts"], is_granted: true },
      { scope: "write", by_integration: true, functions: [], is_granted: false },
      {
        ...{ scope: "contacts.read", by_integration: false, is_granted: false },
        functions: ["contacts", "list"],
      },
    ],
    missing: ["write", "contacts.read"],
  });
});

test("where the provider does not say what it granted, nothing is missing; a connection may ask for other scopes", async () => {
  await connect({}, { config: { oauth_scopes_override: "offline" } });

  const { scopes } = await summarize();

  expect(scopes).toEqual({
    granted: null,
    wanted: [{ scope: "offline", by_integration: true, functions: [], is_granted: null }],
    missing: [],
  });
});

test("a connection that is not there is 404", async () => {
  await connect({});
  const url = "/connections/nobody/credential-summary?provider_config_key=crm";
  const response = await app.server.inject({ method: "GET", url });

  expect([response.statusCode, response.json().error.code]).toEqual([404, "not_found"]);
});
