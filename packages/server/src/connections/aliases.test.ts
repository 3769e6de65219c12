import { afterAll, beforeAll, expect, test } from "vitest";
import { type KeyedServer, startKeyedServer } from "#testing";
import { getConnectionForCall } from "./read/find-connection-for-call.ts";
import { connectionRuntime } from "./runtime.ts";

let server: KeyedServer;
let key: string;

const client = { type: "OAUTH2", client_id: "id", client_secret: "s" };

beforeAll(async () => {
  server = await startKeyedServer();
  key = await server.newKey(server.installation.ctx, "environment:*");
  for (const [provider, credentials] of Object.entries({
    servicenow: client,
    teamwork: client,
    vend: client,
  })) {
    const body = { provider, unique_key: provider, credentials };
    await server.call(key, "POST", "/integrations", body);
  }
});
afterAll(async () => await server[Symbol.asyncDispose]());

const tokens = { type: "OAUTH2", access_token: "a", refresh_token: "r" };

async function importOne(provider: string, config: object, credentials: object = tokens) {
  return await server.call(key, "POST", "/connections", {
    provider_config_key: provider,
    connection_config: config,
    credentials,
  });
}

/** What a function of the connection reads. */
async function readInFunction(integrationKey: string, connectionId: string) {
  const { ctx } = server.installation;
  const { connection } = await getConnectionForCall(ctx, { integrationKey, connectionId });
  const run = { connection: connection.uuid };
  const actor = { kind: "function", runId: "run", connection: connection.uuid } as const;
  const params = { forceRefresh: false, refreshToken: false };
  const { value } = await connectionRuntime.getConnection({ ...ctx, actor }, { run, params });
  return value;
}

test.each([
  ["servicenow", { subdomain: "acme" }, { hostname: "acme.service-now.com" }],
  ["servicenow", { subdomain: "acme.service-now.com" }, { hostname: "acme.service-now.com" }],
  ["servicenow", { hostname: "acme.service-now.com" }, { hostname: "acme.service-now.com" }],
  [
    "servicenow",
    { hostname: "acme.service-now.com", subdomain: "acme", else: "x" },
    { hostname: "acme.service-now.com", else: "x" },
  ],
  [
    "teamwork",
    { "installation.apiEndPoint": "https://acme.teamwork.com/" },
    { api_endpoint: "https://acme.teamwork.com/" },
  ],
  ["vend", { subdomain: "acme" }, { domain_prefix: "acme" }],
])("%s imported with %j is kept with %j", async (provider, given, kept) => {
  const { status, body } = await importOne(provider, given);

  expect([status, body.connection_config]).toEqual([201, kept]);
});

test("two names of one field with different values are refused by name, and nothing is kept", async () => {
  const config = { hostname: "acme.service-now.com", subdomain: "other" };

  const made = await importOne("servicenow", config);
  const flat = await server.call(key, "POST", "/connection", {
    ...{ provider_config_key: "servicenow", connection_id: "both", connection_config: config },
    ...{ access_token: "a", refresh_token: "r", no_expiration: true },
  });

  for (const { status, body } of [made, flat]) {
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: "invalid_body",
      errors: [{ path: ["connection_config", "subdomain"] }],
    });
    expect(body.error.message).toContain("`hostname`");
  }
  const found = await server.call(key, "GET", "/connections/both?provider_config_key=servicenow");
  expect(found.status).toBe(404);
});

test("what a value under the other name has to look like is checked as under the own one", async () => {
  const { status, body } = await importOne("servicenow", { subdomain: "attacker.example/" });

  expect(status).toBe(400);
  expect(body.error.errors).toMatchObject([{ path: ["connection_config", "hostname"] }]);
});

test("a change of the configuration takes both names", async () => {
  const { body } = await importOne("servicenow", { subdomain: "acme" });
  const path = `/connection/${body.connection_id}/config?provider_config_key=servicenow`;

  const changed = await server.call(key, "PATCH", path, { subdomain: "next" });
  const refused = await server.call(key, "PATCH", path, {
    subdomain: "one",
    hostname: "two.service-now.com",
  });

  expect(changed.body).toEqual({ hostname: "next.service-now.com" });
  expect([refused.status, refused.body.error.errors]).toMatchObject([
    400,
    [{ path: ["subdomain"] }],
  ]);
});

test("functions read the value under both names; the API tells the own one", async () => {
  const { body } = await importOne("servicenow", { subdomain: "acme" });

  const read = await readInFunction("servicenow", body.connection_id);
  const reported = await server.call(
    key,
    "GET",
    `/connections/${body.connection_id}?provider_config_key=servicenow`,
  );

  expect(read.connection_config).toEqual({ hostname: "acme.service-now.com", subdomain: "acme" });
  expect(reported.body.connection_config).toEqual({ hostname: "acme.service-now.com" });
});
