import { afterAll, beforeAll, expect, test } from "vitest";
import { type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let key: string;

beforeAll(async () => {
  server = await startKeyedServer();
  key = await server.newKey(server.installation.ctx, "environment:*");
  await server.call(key, "POST", "/integrations", {
    provider: "zoho-crm",
    unique_key: "zoho",
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "s" },
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

// The token address, which gets the integration's client secret, is built from it.
test.each([
  ["https://accounts.zoho.eu", 201],
  ["https://attacker.example", 400],
  ["https://accounts.zoho.eu.attacker.example", 400],
])("an import with the accounts server %s answers %i", async (accountsServer, status) => {
  const body = {
    provider_config_key: "zoho",
    connection_config: { "accounts-server": accountsServer, anything: "else" },
  };
  const credentials = { type: "OAUTH2", access_token: "a", refresh_token: "r" };
  const flat = { access_token: "a", refresh_token: "r", no_expiration: true };

  const made = await server.call(key, "POST", "/connections", { ...body, credentials });
  const older = await server.call(key, "POST", "/connection", { ...body, ...flat });

  expect([made.status, older.status]).toEqual([status, status]);
  if (status === 201) return;
  const { error } = made.body;
  expect(error).toMatchObject({
    code: "invalid_body",
    errors: [{ path: ["connection_config", "accounts-server"] }],
  });
});
