import { expect, test } from "vitest";
import { toNewConnection, toNewIntegration } from "./to-import.ts";

const named = { connection_id: "c1", provider_config_key: "crm", provider: "p" };

test.each([
  [
    {
      type: "OAUTH2",
      access_token: "a",
      refresh_token: "r",
      expires_at: "2026-01-01T00:00:00Z",
      raw: { x: 1 },
    },
    { type: "OAUTH2", access_token: "a", refresh_token: "r", expires_at: "2026-01-01T00:00:00Z" },
  ],
  [
    { type: "OAUTH2", access_token: "a", refresh_token: null, raw: {} },
    { type: "OAUTH2", access_token: "a" },
  ],
  [
    { type: "API_KEY", apiKey: "k" },
    { type: "API_KEY", apiKey: "k" },
  ],
  [
    { type: "JWT", token: "t", expires_at: "x", privateKeyId: "i", privateKey: "k" },
    { type: "JWT", privateKeyId: "i", privateKey: "k" },
  ],
  [
    { type: "OAUTH2_CC", token: "t", client_id: "i", client_secret: "s", raw: {} },
    { type: "OAUTH2_CC", token: "t", client_id: "i", client_secret: "s" },
  ],
  [{}, {}],
])("credentials %j are imported as %j", (credentials, imported) => {
  expect(toNewConnection({ ...named, credentials })).toEqual({
    connection_id: "c1",
    provider_config_key: "crm",
    credentials: imported,
  });
});

test("an app's installation, metadata and the end user come along", () => {
  const body = toNewConnection({
    ...named,
    credentials: { type: "APP", access_token: "a", raw: {} },
    connection_config: { app_id: "1", installation_id: "2", region: "eu" },
    metadata: { plan: "free" },
    tags: { team: "sales" },
    end_user: { id: "u1", email: "ada@example.com", display_name: null },
  });

  expect(body).toMatchObject({
    credentials: { type: "APP", app_id: "1", installation_id: "2" },
    connection_config: { app_id: "1", installation_id: "2", region: "eu" },
    metadata: { plan: "free" },
    tags: { team: "sales", end_user_id: "u1", end_user_email: "ada@example.com" },
  });
});

test("an integration keeps its key, client and settings", () => {
  const body = toNewIntegration({
    unique_key: "hubspot-eu",
    provider: "hubspot",
    display_name: "HubSpot",
    credentials: {
      type: "OAUTH2",
      client_id: "i",
      client_secret: "s",
      scopes: "a,b",
      webhook_secret: null,
    },
    integration_config: { region: "eu" },
  });

  expect(body).toEqual({
    unique_key: "hubspot-eu",
    provider: "hubspot",
    display_name: "HubSpot",
    credentials: { type: "OAUTH2", client_id: "i", client_secret: "s", scopes: "a,b" },
    integration_config: { region: "eu" },
  });
});
