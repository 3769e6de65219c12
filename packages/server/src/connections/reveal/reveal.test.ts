import { afterAll, beforeAll, expect, test } from "vitest";
import { type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let key = "";
beforeAll(async () => {
  server = await startKeyedServer();
  key = await server.newKey(server.installation.ctx, "environment:*");
  await server.call(key, "POST", "/integrations", {
    ...{ provider: "oauth2-generic", unique_key: "crm" },
    credentials: { type: "OAUTH2", client_id: "client", client_secret: "of-the-client" },
    integration_config: {
      authorization_url: "http://127.0.0.1:9/authorize",
      token_url: "http://127.0.0.1:9/token",
      base_url: "http://127.0.0.1:9",
    },
  });
  await server.call(key, "POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "c" },
    credentials: { type: "OAUTH2", access_token: "of-the-user", refresh_token: "r" },
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

const ofConnection = "/connections/c/reveal?provider_config_key=crm";
const ofIntegration = "/integrations/crm/reveal";

test("one field is shown, that no cache keeps", async () => {
  const token = await server.call(key, "POST", ofConnection, { field: "access_token" });
  const secret = await server.call(key, "POST", ofIntegration, { field: "client_secret" });

  expect(token.body.data).toEqual({ field: "access_token", value: "of-the-user" });
  expect(secret.body.data).toEqual({ field: "client_secret", value: "of-the-client" });
  expect(token.headers["cache-control"]).toBe("no-store");
});

test("a read scope alone shows nothing; what is not there is 404 and names what is", async () => {
  const reader = await server.newKey(
    server.installation.ctx,
    "environment:connections:read",
    "environment:integrations:read",
  );

  const refused = [
    await server.call(reader, "POST", ofConnection, { field: "access_token" }),
    await server.call(reader, "POST", ofIntegration, { field: "client_secret" }),
  ];
  const missing = await server.call(key, "POST", ofConnection, { field: "password" });
  const inherited = await server.call(key, "POST", ofConnection, { field: "constructor" });
  const bad = await server.call(key, "POST", ofConnection, { field: "../x" });

  expect(refused.map(({ status }) => status)).toEqual([403, 403]);
  expect(missing.status).toBe(404);
  expect(missing.body.error.message).toContain("access_token");
  expect(missing.body.error.message).not.toContain("of-the-user");
  expect([inherited.status, bad.status]).toEqual([404, 400]);
});

test("the webhook secret of a connection is set, shown one at a time and removed, and never listed", async () => {
  const path = "/connections/c?provider_config_key=crm";
  const set = async (secret: string) =>
    await server.call(key, "PATCH", path, { webhook_secret: secret });
  const reveal = async () =>
    await server.call(key, "POST", ofConnection, { field: "webhook_secret" });

  const unset = await reveal();
  const changed = await set("of-the-subscription");
  const read = await server.call(key, "GET", path);
  const listed = await server.call(key, "GET", "/connections?include=credentials");
  const shown = await reveal();
  const tooLong = await set("x".repeat(1001));
  await set("");
  const removed = await server.call(key, "GET", path);

  expect([unset.status, changed.status, tooLong.status]).toEqual([404, 200, 400]);
  expect(read.body.has_webhook_secret).toBe(true);
  expect(JSON.stringify([read.body, listed.body])).not.toContain("of-the-subscription");
  expect(shown.body.data).toEqual({ field: "webhook_secret", value: "of-the-subscription" });
  expect(removed.body.has_webhook_secret).toBe(false);
  expect((await reveal()).status).toBe(404);
});
