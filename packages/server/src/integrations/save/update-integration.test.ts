import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { type KeyedServer, startKeyedServer } from "#testing";
import { getIntegration } from "../reading/get-integration.ts";
import { toAuthSubject } from "../reading/to-auth-subject.ts";

let server: KeyedServer;
let call: KeyedServer["call"];
let ctx: EnvironmentContext;
let full: string;

const client = { type: "OAUTH2", client_id: "id-1", client_secret: "canary-secret" };

beforeAll(async () => {
  server = await startKeyedServer();
  ({ call } = server);
  ({ ctx } = server.installation);
  full = await server.newKey(ctx, "environment:*");
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function make(unique_key: string, fields: object = {}) {
  const github = { provider: "github", credentials: { ...client, scopes: "repo" } };
  return await call(full, "POST", "/integrations", { unique_key, ...github, ...fields });
}

async function read(key: string) {
  const answer = await call(full, "GET", `/integrations/${key}?include=credentials`);
  return answer.body.data;
}

test("only what is sent changes", async () => {
  const before = (await make("partial", { display_name: "Mine" })).body.data;
  server.installation.clock.advance(1000);

  const changed = await call(full, "PATCH", "/integrations/partial", { forward_webhooks: false });
  const secret = await call(full, "PATCH", "/integrations/partial", {
    credentials: { type: "OAUTH2", client_secret: "next" },
  });
  const nothing = await call(full, "PATCH", "/integrations/partial", {});

  const updated_at = ctx.clock.now().toISOString();
  const expected = { ...before, forward_webhooks: false, updated_at };
  expect(changed).toMatchObject({ status: 200, body: { data: expected } });
  expect(JSON.stringify(secret.body)).not.toContain("next");
  expect(nothing.body.data).toEqual(secret.body.data);
  expect((await read("partial")).credentials).toMatchObject({
    client_id: "id-1",
    client_secret: "next",
    scopes: "repo",
  });
  // The one before is kept for a while, but shown to nobody.
  expect(JSON.stringify(await read("partial"))).not.toContain("canary-secret");
});

test("an OAuth client may come after the integration", async () => {
  const made = await make("later", { credentials: undefined });
  const before = await read("later");

  const changed = await call(full, "PATCH", "/integrations/later", { credentials: client });

  expect([made.status, changed.status]).toEqual([200, 200]);
  expect(before).not.toHaveProperty("credentials");
  expect((await read("later")).credentials).toEqual(client);
});

test("an empty text clears what is optional", async () => {
  await make("clears", {
    display_name: "Mine",
    credentials: { ...client, scopes: "repo", webhook_secret: "hook" },
  });
  await call(full, "PATCH", "/integrations/clears", {
    custom: { base_url: "https://a.example", note: "x" },
  });

  const changed = await call(full, "PATCH", "/integrations/clears", {
    display_name: "",
    credentials: { type: "OAUTH2", scopes: "", webhook_secret: "" },
    custom: { note: "" },
  });

  expect(changed.status).toBe(200);
  const cleared = await read("clears");
  expect(cleared).toMatchObject({
    display_name: "GitHub",
    custom: { base_url: "https://a.example" },
    credentials: { client_id: "id-1" },
  });
  expect(cleared.credentials).not.toHaveProperty("scopes");
  expect(cleared.credentials).not.toHaveProperty("webhook_secret");
});

test("configuration is merged, checked, and falls back to its defaults", async () => {
  await call(full, "POST", "/integrations", {
    provider: "private-api-generic",
    unique_key: "config",
    integration_config: { keyName: "x-key", keyLabel: "Token", baseUrl: "https://a.example" },
  });
  const patch = async (integration_config: object) =>
    await call(full, "PATCH", "/integrations/config", { integration_config });

  const merged = await patch({ keyName: "x-other", keyLabel: "" });
  const required = await patch({ baseUrl: "" });
  const unknown = await patch({ nope: "1" });

  expect(merged.body.data.integration_config).toMatchObject({
    keyName: "x-other",
    keyLabel: "API key",
    baseUrl: "https://a.example",
  });
  for (const [refused, path] of [
    [required, "integration_config.baseUrl"],
    [unknown, "integration_config.nope"],
  ] as const) {
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
    expect(refused.body.error.errors[0].path.join(".")).toBe(path);
  }
  expect(await read("config")).toMatchObject({ integration_config: { keyName: "x-other" } });
});

test("custom values are for providers that declare none", async () => {
  const body = { provider: "private-api-bearer", integration_config: { base_url: "https://a.b" } };
  await call(full, "POST", "/integrations", { ...body, unique_key: "declared" });

  const refused = await call(full, "PATCH", "/integrations/declared", { custom: { note: "a" } });

  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
  expect(refused.body.error.errors[0].path).toEqual(["custom"]);
});

test("an integration is renamed while it has no connections", async () => {
  await make("old name");
  await make("taken");
  await call(full, "POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: "used",
    integration_config: { base_url: "http://127.0.0.1:9" },
  });
  await call(full, "POST", "/connections", {
    provider_config_key: "used",
    credentials: { type: "API_KEY", apiKey: "k" },
  });

  const renamed = await call(full, "PATCH", "/integrations/old name", { unique_key: "new name" });
  const taken = await call(full, "PATCH", "/integrations/new name", { unique_key: "taken" });
  const used = await call(full, "PATCH", "/integrations/used", { unique_key: "other" });
  const same = await call(full, "PATCH", "/integrations/used", { unique_key: "used" });

  expect(renamed.body.data.unique_key).toBe("new name");
  expect((await call(full, "GET", "/integrations/old name")).status).toBe(404);
  for (const refused of [taken, used]) {
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
    expect(refused.body.error.errors[0].path).toEqual(["unique_key"]);
  }
  expect(used.body.error.message).toContain("it has 1");
  expect(same.status).toBe(200);
});

test.each([
  [{ credentials: { type: "OAUTH2", client_id: "" } }, "credentials"],
  [{ credentials: { type: "BASIC" } }, "credentials"],
  [{ unique_key: "a/b" }, "unique_key"],
  [{ custom: { base_url: "nonsense" } }, "custom"],
  [{ settings: { state_binding: "loose" } }, "settings"],
  [{ provider: "openai" }, undefined],
])("refuses the change %j", async (body, field) => {
  await make("refuses");
  const before = await read("refuses");

  const refused = await call(full, "PATCH", "/integrations/refuses", body);

  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
  expect(refused.body.error.errors[0].path[0]).toBe(field);
  expect(await read("refuses")).toEqual(before);
});

test("settings are merged by name", async () => {
  await make("settings", { settings: { allowed_hosts: ["a.example"], forward_raw: true } });

  const changed = await call(full, "PATCH", "/integrations/settings", {
    settings: { state_binding: "off", forward_raw: false },
  });

  expect(changed.body.data.settings).toEqual({
    allowed_hosts: ["a.example"],
    forward_raw: false,
    state_binding: "off",
  });
});

test("null takes a setting back to its default", async () => {
  await make("defaults", { settings: { revoke_on_delete: false, webhook_limit_per_min: 5 } });

  const changed = await call(full, "PATCH", "/integrations/defaults", {
    settings: { revoke_on_delete: null, webhook_sequence: null, forward_raw: true },
  });
  const none = await call(full, "PATCH", "/integrations/defaults", {
    settings: { webhook_limit_per_min: null, forward_raw: null },
  });

  expect(changed.body.data.settings).toEqual({ webhook_limit_per_min: 5, forward_raw: true });
  expect(none.body.data).not.toHaveProperty("settings");
});

test("the list shows credentials only to a key with list_credentials that asks", async () => {
  await make("listed");
  const lister = await server.newKey(ctx, "environment:integrations:list");
  const trusted = await server.newKey(ctx, "environment:integrations:list_credentials");

  const plain = await call(trusted, "GET", "/integrations");
  const asked = await call(trusted, "GET", "/integrations?include=credentials");
  const refused = await call(lister, "GET", "/integrations?include=credentials");

  expect(JSON.stringify(plain.body)).not.toContain("canary-secret");
  expect(JSON.stringify(asked.body)).toContain("canary-secret");
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  expect((await call(lister, "GET", "/integrations")).status).toBe(200);
});

test("the older address answers in its older shape, and says that it will go", async () => {
  await make("older");
  const credentials = { type: "OAUTH2", access_token: "t" };
  for (const connection_id of ["first", "second"]) {
    server.installation.clock.advance(1000);
    const body = { provider_config_key: "older", connection_id, credentials };
    expect((await call(full, "POST", "/connections", body)).status).toBe(201);
  }
  const credentialsOnly = await server.newKey(ctx, "environment:integrations:read_credentials");
  const reader = await server.newKey(ctx, "environment:integrations:read");

  const plain = await call(reader, "GET", "/config/older");
  const refused = await call(reader, "GET", "/config/older?include_creds=true");
  const full_ = await call(full, "GET", "/config/older?include_creds=true");
  const noList = await call(credentialsOnly, "GET", "/config/older?include_creds=true");
  const unknown = await call(full, "GET", "/config/nope");

  expect(plain.body).toEqual({
    config: { unique_key: "older", provider: "github", syncs: [], actions: [] },
  });
  expect(plain.headers).toHaveProperty("deprecation");
  expect(plain.headers).toHaveProperty("sunset");
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  expect(full_.body.config).toMatchObject({
    client_id: "id-1",
    client_secret: "canary-secret",
    auth_mode: "OAUTH2",
    connections: [
      { connection_id: "second", provider_config_key: "older" },
      { connection_id: "first", provider_config_key: "older" },
    ],
    connection_count: 2,
  });
  expect(noList.body.config).toMatchObject({ connections: [], connection_count: 2 });
  expect(unknown).toMatchObject({
    status: 400,
    body: { error: { code: "unknown_provider_config" } },
  });
});

test("another environment's key gets the answer for an unknown integration, and changes nothing", async () => {
  await make("guarded");
  const foreign = await server.newKey(server.other, "environment:*");
  const blur = (answer: unknown) => JSON.stringify(answer).replaceAll(/guarded|unknown-1/g, "key");
  const change = { display_name: "stolen" };

  for (const [method, path, body] of [
    ["PATCH", "/integrations/", change],
    ["DELETE", "/integrations/", undefined],
    ["GET", "/config/", undefined],
  ] as const) {
    const tried = await call(foreign, method, `${path}guarded`, body);
    const unknown = await call(foreign, method, `${path}unknown-1`, body);
    expect([400, 404]).toContain(tried.status);
    expect(blur([tried.status, tried.body])).toBe(blur([unknown.status, unknown.body]));
  }
  expect((await read("guarded")).display_name).toBe("GitHub");
});

test.each([
  ["GET", "/integrations", "environment:integrations:list"],
  ["GET", "/integrations/x", "environment:integrations:read"],
  ["GET", "/config/x", "environment:integrations:read"],
  ["POST", "/integrations", "environment:integrations:create"],
  ["PATCH", "/integrations/x", "environment:integrations:update"],
  ["DELETE", "/integrations/x", "environment:integrations:delete"],
] as const)("%s %s needs %s", async (method, url, scope) => {
  const lacking = await server.newKey(ctx, "environment:proxy");

  const refused = await call(lacking, method, url);

  expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  expect(refused.body.error.message).toContain(scope);
});

test("seals settings that the entry calls secret, and changes them like the others", async () => {
  const aws = {
    provider: "aws-sigv4",
    unique_key: "aws",
    integration_config: {
      service: "sqs",
      awsAccessKeyId: "AKID",
      awsSecretAccessKey: "SECRET-ONE",
    },
  };
  const created = await call(full, "POST", "/integrations", aws);
  const changed = await call(full, "PATCH", "/integrations/aws", {
    integration_config: { service: "sns" },
  });

  const shown = JSON.stringify([created.body, changed.body]);
  expect(shown).toContain('"service":"sns"');
  expect(shown).not.toContain("SECRET-ONE");
  const integration = await getIntegration(ctx, "aws");
  expect(JSON.stringify(integration)).not.toContain("SECRET-ONE");
  expect(await toAuthSubject(ctx, integration, {})).toMatchObject({
    integrationCredentials: undefined,
    integrationConfig: { service: "sns", awsSecretAccessKey: "SECRET-ONE" },
  });
});
