import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let call: KeyedServer["call"];
let ctx: EnvironmentContext;
let full: string;
let foreign: string;

beforeAll(async () => {
  server = await startKeyedServer();
  ({ call } = server);
  ({ ctx } = server.installation);
  full = await server.newKey(ctx, "environment:*");
  foreign = await server.newKey(server.other, "environment:*");
  for (const key of [full, foreign]) {
    for (const unique_key of ["plain", "second"]) {
      await call(key, "POST", "/integrations", {
        provider: "private-api-bearer",
        unique_key,
        integration_config: { base_url: "http://127.0.0.1:9" },
      });
    }
  }
  await call(full, "POST", "/integrations", {
    provider: "github",
    unique_key: "gh",
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "s" },
  });
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function importKey(connection_id: string, fields: object = {}) {
  server.installation.clock.advance(1);
  return await call(full, "POST", "/connections", {
    provider_config_key: "plain",
    connection_id,
    credentials: { type: "API_KEY", apiKey: `canary of ${connection_id}` },
    ...fields,
  });
}

async function ids(query: string, key = full) {
  const { body } = await call(key, "GET", `/connections?${query}`);
  return body.connections.map((item: { connection_id: string }) => item.connection_id);
}

const at = (id: string, rest = "provider_config_key=plain") => `/connections/${id}?${rest}`;

test("an end user is kept as tags and read back, explicit tags before it", async () => {
  const end_user = {
    id: "u-7",
    email: "ada@example.com",
    display_name: "Ada L.",
    tags: { Plan: "pro", "not a tag": "x" },
  };

  const created = await importKey("user-1", { end_user, tags: { end_user_id: "u-8" } });

  expect(created.body.tags).toEqual({
    end_user_id: "u-8",
    end_user_email: "ada@example.com",
    end_user_display_name: "Ada L.",
    plan: "pro",
  });
  expect(created.body.end_user).toEqual({
    id: "u-8",
    email: "ada@example.com",
    display_name: "Ada L.",
    tags: null,
    organization: null,
  });
  expect(await ids("search=ADA%20L")).toEqual(["user-1"]);
});

test("every filter of the list, the deprecated ones and their other spellings too", async () => {
  await importKey("f-1", { tags: { set: "f", end_user_id: "u1", organization_id: "o1" } });
  await importKey("f-2", { tags: { set: "f", end_user_id: "u2", organization_id: "o1" } });
  await importKey("f-3", { tags: { set: "f", end_user_id: "u2" }, provider_config_key: "second" });

  expect(await ids("endUserId=u2")).toEqual(["f-3", "f-2"]);
  expect(await ids("userId=u1")).toEqual(["f-1"]);
  expect(await ids("endUserOrganizationId=o1")).toEqual(["f-2", "f-1"]);
  expect(await ids("endUserId=u2&endUserOrganizationId=o1&integrationId=plain")).toEqual(["f-2"]);
  expect(await ids("tags[end_user_id]=u1&endUserId=u2")).toEqual([]);
  expect(await ids("tags[set]=f&integration_id=second")).toEqual(["f-3"]);
  expect(await ids("connection_id=f-2&connectionId=f-2")).toEqual(["f-2"]);
  expect(await ids("tags[set]=f&integrationId=nope")).toEqual([]);
  expect(await ids("tags[set]=f&limit=1&page=2")).toEqual(["f-1"]);
  expect(await ids("tags[set]=f", foreign)).toEqual([]);
  const conflict = await call(full, "GET", "/connections?connection_id=a&connectionId=b");
  expect(conflict).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_query_params", errors: [{ path: ["connection_id"] }] } },
  });
});

test("one connection is read under both spellings, but not with two values", async () => {
  await importKey("names-1");

  const camel = await call(full, "GET", at("names-1", "providerConfigKey=plain&refreshToken=true"));
  const differing = await call(
    full,
    "GET",
    at("names-1", "providerConfigKey=plain&provider_config_key=second"),
  );
  const unknown = await call(full, "GET", at("names-1", "provider_config_key=nope"));

  expect(camel.status).toBe(200);
  expect(camel.body.created).toBe(camel.body.created_at);
  expect(differing).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_query_params" } },
  });
  expect(unknown).toMatchObject({
    status: 400,
    body: { error: { code: "unknown_provider_config" } },
  });
});

test("a patch replaces all tags, sets or clears the webhook address, and leaves the rest", async () => {
  await importKey("patch-1", { tags: { a: "1", b: "2" } });
  const patch = async (body: object) => await call(full, "PATCH", at("patch-1"), body);
  const read = async () => (await call(full, "GET", at("patch-1"))).body;

  const tagged = await patch({ tags: { B: "3" }, end_user: { id: "u9" } });
  const first = await read();
  await patch({ webhook_url_override: "https://example.com/hook" });
  const second = await read();
  await patch({ webhook_url_override: "" });
  const empty = await patch({});

  expect(tagged).toMatchObject({ status: 200, body: { success: true } });
  expect(first.tags).toEqual({ b: "3", end_user_id: "u9" });
  expect(second).toMatchObject({
    tags: first.tags,
    webhook_url_override: "https://example.com/hook",
  });
  expect(empty.status).toBe(200);
  expect((await read()).webhook_url_override).toBeNull();
});

test.each([
  ["an unknown connection", at("nope"), { tags: {} }, 404, "not_found"],
  [
    "an unknown integration",
    at("patch-1", "provider_config_key=no"),
    {},
    400,
    "unknown_provider_config",
  ],
  ["no integration", "/connections/patch-1", {}, 400, "invalid_query_params"],
  ["an unknown field", at("patch-1"), { metadata: {} }, 400, "invalid_body"],
  ["two keys that are one", at("patch-1"), { tags: { a: "1", A: "2" } }, 400, "invalid_body"],
  [
    "a private address",
    at("patch-1"),
    { webhook_url_override: "http://10.0.0.1/" },
    400,
    "destination_not_allowed",
  ],
])("a patch with %s is refused", async (_case, url, body, status, code) => {
  expect(await call(full, "PATCH", url, body)).toMatchObject({ status, body: { error: { code } } });
});

test("configuration is merged; what the server fills or keeps secret is refused", async () => {
  await importKey("config-1", { connection_config: { region: "eu", old: "x" } });
  const patch = async (body: object, headers: Record<string, string> = {}, query = "") =>
    await call(full, "PATCH", `/connection/config-1/config${query}`, body, headers);
  const inHeader = { "Provider-Config-Key": "plain" };

  const merged = await patch({ webhookGuid: "g-1", old: "" }, inHeader);
  const byQuery = await patch({ region: "us" }, {}, "?provider_config_key=plain");
  const unnamed = await patch({ a: "b" });
  const differing = await patch({ a: "b" }, inHeader, "?provider_config_key=second");

  expect(merged).toMatchObject({ status: 200, body: { region: "eu", webhookGuid: "g-1" } });
  expect(merged.body).not.toHaveProperty("old");
  expect(byQuery.body).toEqual({ region: "us", webhookGuid: "g-1" });
  expect(unnamed.body.error.code).toBe("missing_provider_config");
  expect(differing.body.error.code).toBe("invalid_query_params");
  for (const body of [
    { emailAddressHash: "x" },
    { oauth_client_secret_override: "x" },
    { apiToken: "x" },
    { partner: "-----BEGIN PRIVATE KEY-----" },
    { a: 1 },
    { a: { b: "c" } },
  ]) {
    expect(await patch(body, inHeader)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_body" } },
    });
  }
});

test("undeclared secrets of the configuration are sealed, and shown with the credentials only", async () => {
  const connection_config = { region: "eu", apiToken: "canary-undeclared" };
  const made = await importKey("config-2", { connection_config });
  const reader = await server.newKey(ctx, "environment:connections:*");
  const listed = await call(reader, "GET", "/connections?connectionId=config-2");
  const { rows } = await sql<{ text: string }>`
    select connection_config::text as text from connections where connection_id = 'config-2'`.execute(
    ctx.db,
  );

  expect(made.body.connection_config).toEqual({ region: "eu" });
  expect(made.body.credentials.connection_config).toEqual({ apiToken: "canary-undeclared" });
  expect(listed.body.connections[0].connection_config).toEqual({ region: "eu" });
  expect(rows[0]?.text).toBe('{"region": "eu"}');
});

test("what an older release stored in the open is shown with the credentials only", async () => {
  await importKey("config-3");
  await sql`update connections set connection_config = '{"apiToken": "canary-open"}'
             where connection_id = 'config-3'`.execute(ctx.db);

  const listed = await call(full, "GET", "/connections?connectionId=config-3");
  const read = await call(full, "GET", at("config-3"));

  expect(JSON.stringify(listed.body)).not.toContain("canary-open");
  expect(read.body.connection_config).toEqual({});
  expect(read.body.credentials.connection_config).toEqual({ apiToken: "canary-open" });
});

test("metadata failures carry their message next to the error", async () => {
  const body = { connection_id: "nope", provider_config_key: "plain", metadata: {} };

  for (const [method, url, sent] of [
    ["POST", "/connections/metadata", body],
    ["PATCH", "/connection/metadata", body],
    ["PATCH", "/connection/nope/metadata?provider_config_key=plain", {}],
  ] as const) {
    const refused = await call(full, method, url, sent);
    expect(refused.status).toBe(404);
    expect(refused.body).toEqual({
      message: refused.body.error.message,
      error: { code: "unknown_connection", message: expect.any(String) },
    });
  }
  const invalid = await call(full, "PATCH", "/connections/metadata", {});
  expect(invalid.body.message).toBe(invalid.body.error.message);
});

test("the older addresses answer like the new ones, and say that they will go", async () => {
  await importKey("older-1");
  const key = { "provider-config-key": "plain" };

  const list = await call(full, "GET", "/connection?connectionId=older-1");
  const one = await call(full, "GET", "/connection/older-1?provider_config_key=plain");
  const set = await call(full, "POST", "/connection/older-1/metadata", { a: 1 }, key);
  const merged = await call(full, "PATCH", "/connection/older-1/metadata", { b: 2 }, key);
  const read = await call(full, "GET", at("older-1"));
  const versioned = await call(full, "GET", "/v1/connections/older-1?provider_config_key=plain");
  const tagged = await call(full, "PATCH", "/v1/connections/older-1?provider_config_key=plain", {
    tags: { end_user_id: "u1" },
  });
  const deleted = await call(full, "DELETE", "/connection/older-1?provider_config_key=plain");

  expect(list.body.connections).toHaveLength(1);
  expect(one.body.credentials.apiKey).toBe("canary of older-1");
  expect([set.status, set.body]).toEqual([201, { a: 1 }]);
  expect([merged.status, merged.body]).toEqual([200, { a: 1, b: 2 }]);
  expect(read.body.metadata).toEqual({ a: 1, b: 2 });
  expect(deleted.body).toEqual({ success: true });
  expect(versioned.body).toMatchObject({ connection_id: "older-1", metadata: { a: 1, b: 2 } });
  expect([tagged.status, tagged.body]).toEqual([200, { success: true }]);
  for (const { headers } of [list, one, set, merged, versioned, tagged, deleted]) {
    expect(headers).toMatchObject({
      deprecation: expect.any(String),
      sunset: expect.any(String),
      link: expect.any(String),
    });
  }
  expect(read.headers).not.toHaveProperty("deprecation");
});

test("the older import takes its credentials next to the other fields", async () => {
  const flat = async (body: object, key = full) => await call(key, "POST", "/connection", body);
  const creator = await server.newKey(ctx, "environment:connections:create");
  const plain = { provider_config_key: "plain", connection_id: "flat-1", api_key: "canary" };

  const made = await flat({ ...plain, metadata: { a: 1 } });
  const unread = await flat({ ...plain, connection_id: "flat-2" }, creator);
  const token = await flat({
    provider_config_key: "gh",
    connection_id: "flat-3",
    access_token: "at",
    expires_in: 3600,
  });
  const read = await call(full, "GET", at("flat-1"));

  expect([made.status, made.body]).toEqual([201, { ...plain, metadata: { a: 1 } }]);
  expect(read.body.credentials.apiKey).toBe("canary");
  expect(unread.status).toBe(201);
  expect(JSON.stringify(unread.body)).not.toContain("canary");
  expect(token.status).toBe(201);
  for (const [body, code] of [
    [{ api_key: "k" }, "missing_provider_config"],
    [{ provider_config_key: "nope" }, "unknown_provider_config"],
    [{ provider_config_key: "plain" }, "missing_api_key"],
    [{ provider_config_key: "gh" }, "missing_access_token"],
    [{ provider_config_key: "gh", access_token: "a" }, "missing_expires_at"],
    [{ provider_config_key: "gh", access_token: "a", expires_at: "soon" }, "invalid_expires_at"],
  ] as const) {
    expect(await flat(body)).toMatchObject({ status: 400, body: { error: { code } } });
  }
});

test("a secret of the end user's own OAuth client leaves only with the credentials", async () => {
  const created = await call(full, "POST", "/connections", {
    provider_config_key: "gh",
    connection_id: "own-client",
    credentials: { type: "OAUTH2", access_token: "at" },
    connection_config: {
      oauth_client_id_override: "their-id",
      oauth_client_secret_override: "their-canary",
      oauth_scopes_override: ["repo", "gist"],
    },
  });
  const reader = await server.newKey(ctx, "environment:connections:read");
  const read = await call(reader, "GET", at("own-client", "provider_config_key=gh"));

  expect(created.body.connection_config).toEqual({
    oauth_client_id_override: "their-id",
    oauth_scopes_override: "repo,gist",
  });
  expect(created.body.credentials.config_override).toEqual({
    client_id: "their-id",
    client_secret: "their-canary",
  });
  expect(JSON.stringify(read.body)).not.toContain("their-canary");
});

test("the operator's limit on connections is exact, and an override stays possible", async () => {
  await using small = await startKeyedServer({ settings: { maxConnections: 3 } });
  const own = small.installation.ctx;
  const key = await small.newKey(own, "environment:*");
  await small.call(key, "POST", "/integrations", {
    provider: "unauthenticated",
    unique_key: "u",
    integration_config: { base_url: "http://127.0.0.1:9" },
  });
  const make = async (connection_id: string) =>
    await small.call(key, "POST", "/connections", {
      provider_config_key: "u",
      connection_id,
      credentials: { type: "NONE" },
    });

  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => make(`c${n}`)));
  const kept = answers.find(({ status }) => status === 201)?.body.connection_id;
  const again = await make(kept);

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(answers.find(({ status }) => status !== 201)).toMatchObject({
    status: 400,
    body: { error: { code: "resource_capped" } },
  });
  expect(again.status).toBe(201);
});

test("another environment's key gets the answer for an unknown connection", async () => {
  await importKey("tenant-9");
  const blur = (answer: unknown) => JSON.stringify(answer).replaceAll(/tenant-9|random-9/g, "id");

  for (const [method, path, body] of [
    ["PATCH", "/connections/ID?provider_config_key=plain", { tags: { stolen: "1" } }],
    ["PATCH", "/connection/ID/config?provider_config_key=plain", { stolen: "1" }],
    ["POST", "/connection/ID/metadata?provider_config_key=plain", { stolen: "1" }],
    ["GET", "/connection/ID?provider_config_key=plain", undefined],
  ] as const) {
    const tried = await call(foreign, method, path.replace("ID", "tenant-9"), body);
    const random = await call(foreign, method, path.replace("ID", "random-9"), body);
    expect(tried.status).toBe(404);
    expect(blur([tried.status, tried.body])).toBe(blur([random.status, random.body]));
  }
  expect(JSON.stringify((await call(full, "GET", at("tenant-9"))).body)).not.toContain("stolen");
});

test.each([
  ["GET", "/connections", "environment:connections:list"],
  ["GET", "/connections/x", "environment:connections:read"],
  ["POST", "/connections", "environment:connections:create"],
  ["POST", "/connection", "environment:connections:create"],
  ["PATCH", "/connections/x", "environment:connections:update"],
  ["PATCH", "/connection/x/config", "environment:connections:update"],
  ["POST", "/connection/x/metadata", "environment:connections:update"],
  ["PATCH", "/connections/metadata", "environment:connections:update"],
  ["DELETE", "/connections/x", "environment:connections:delete"],
] as const)("%s %s needs %s", async (method, url, scope) => {
  const lacking = await server.newKey(ctx, "environment:proxy");

  const refused = await call(lacking, method, url);

  expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  expect(refused.body.error.message).toContain(scope);
});
