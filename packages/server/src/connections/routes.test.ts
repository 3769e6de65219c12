import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError, type EnvironmentContext, on } from "#foundation";
import type { TestContext } from "#foundation/testing";
import { openJson } from "#vault";
import { connectionCreated, connectionsDeleted } from "./hooks.ts";
import { type ConnectionServer, startConnectionServer } from "./testing/connection-server.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let server: ConnectionServer;
let installation: TestContext;
let call: ConnectionServer["call"];
const reported: string[] = [];
let refuseDeletion = false;

beforeAll(async () => {
  server = await startConnectionServer([
    on(connectionCreated, async (ctx: EnvironmentContext, { connection, operation }) => {
      expect(ctx.db.isTransaction).toBe(true);
      reported.push(`${operation} ${connection.connectionId}`);
    }),
    on(connectionsDeleted, async (_ctx: EnvironmentContext, { connections: [connection] }) => {
      if (refuseDeletion) throw new AppError("conflict", "not now");
      reported.push(`deletion ${connection?.connectionId}`);
    }),
  ]);
  ({ installation, call } = server);
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function importKey(connectionId: string, fields: object = {}) {
  return await call("full", "POST", "/connections", {
    provider_config_key: "plain",
    connection_id: connectionId,
    credentials: { type: "API_KEY", apiKey: `key of ${connectionId}` },
    ...fields,
  });
}

test("imports a connection and shows its credentials to those who may read them", async () => {
  const created = await importKey("import-1", {
    metadata: { plan: "free" },
    tags: { End_User_Id: "u1" },
    connection_config: { region: "eu" },
  });
  const read = await call("full", "GET", "/connections/import-1?provider_config_key=plain");
  const plain = await call("reader", "GET", "/connections/import-1?provider_config_key=plain");

  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    connection_id: "import-1",
    provider_config_key: "plain",
    provider: "private-api-bearer",
    metadata: { plan: "free" },
    tags: { end_user_id: "u1" },
    connection_config: { region: "eu" },
    errors: [],
    credentials: { type: "API_KEY", apiKey: "key of import-1" },
  });
  expect(read.body.credentials).toEqual({ type: "API_KEY", apiKey: "key of import-1" });
  expect(read.body.last_fetched_at).not.toBeNull();
  expect(plain.body).not.toHaveProperty("credentials");
  expect(JSON.stringify(plain.body)).not.toContain("key of import-1");
});

test("credentials without a type are imported as those of the provider's mode, and are checked", async () => {
  const created = await importKey("untyped", { credentials: { apiKey: "k" } });
  const missing = await importKey("untyped-2", { credentials: { apikey: "k" } });
  const none = await importKey("untyped-3", { credentials: undefined });

  expect(created.body.credentials).toEqual({ type: "API_KEY", apiKey: "k" });
  expect(missing.status).toBe(400);
  expect(missing.body.error.errors[0].path).toEqual(["credentials", "apiKey"]);
  expect(none.body.error.errors[0].path).toEqual(["credentials"]);
});

test("metadata above its limit is refused with an import, and no connection is made", async () => {
  const metadata = { notes: "x".repeat(64 * 1024) };

  const refused = await importKey("large-1", { metadata });
  const updated = await importKey("import-1", { metadata });
  const read = await call("full", "GET", "/connections/large-1?provider_config_key=plain");
  const kept = await call("full", "GET", "/connections/import-1?provider_config_key=plain");

  for (const { status, body } of [refused, updated]) {
    expect([status, body.error.code]).toEqual([400, "invalid_body"]);
    expect(body.error.message).toContain("at most 65536 bytes");
  }
  expect(read.status).toBe(404);
  expect(kept.body.metadata).toEqual({ plan: "free" });
});

test("keeps credentials encrypted in the database", async () => {
  await importKey("sealed-1");

  const { rows } = await sql<{ text: string }>`
    select encode(credentials, 'escape') as text from connections
     where connection_id = 'sealed-1'`.execute(installation.ctx.db);

  expect(rows[0]?.text).toBeDefined();
  expect(rows[0]?.text).not.toContain("key of");
});

test("an import over an existing id is an override that keeps what is not sent", async () => {
  const first = await importKey("override-1", { metadata: { a: 1 }, tags: { team: "red" } });
  const second = await importKey("override-1", { tags: { team: "blue" } });
  const elsewhere = await importKey("override-1", { provider_config_key: "second" });

  expect(second.body.id).toBe(first.body.id);
  expect(second.body.metadata).toEqual({ a: 1 });
  expect(second.body.tags).toEqual({ team: "blue" });
  expect(elsewhere.body.id).not.toBe(first.body.id);
  expect(reported.filter((event) => event.endsWith("override-1"))).toEqual([
    "creation override-1",
    "override override-1",
    "creation override-1",
  ]);
});

test("ten imports of one id at once make one connection", async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => importKey("race-1")));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(reported.filter((event) => event === "creation race-1")).toHaveLength(1);
});

test("tells of a creation by webhook in the same transaction", async () => {
  const { ctx } = installation;
  await importKey("hook-1", { webhook_url_override: "https://example.com/x", tags: { a: "b" } });

  const { rows } = await sql<{ id: string; body: Buffer }>`
    select d.id, d.body from webhook_deliveries d join connections c on c.uuid = d.connection_uuid
     where c.connection_id = 'hook-1'`.execute(ctx.db);
  const place = { environmentId: ctx.environment.id, table: "webhook_deliveries", column: "body" };
  const bodies = await Promise.all(
    rows.map(({ id, body }) => openJson(ctx, { ...place, row: id }, body)),
  );

  expect(bodies).toEqual([
    {
      from: "svc",
      type: "auth",
      operation: "creation",
      success: true,
      connectionId: "hook-1",
      providerConfigKey: "plain",
      provider: "private-api-bearer",
      environment: ctx.environment.name,
      authMode: "API_KEY",
      tags: { a: "b" },
      sequence: 1,
    },
  ]);
});

test.each([
  ["unknown integration", { provider_config_key: "nope" }, 404, "not_found"],
  [
    "wrong type",
    { credentials: { type: "BASIC", username: "a", password: "b" } },
    400,
    "invalid_body",
  ],
  ["U+0000 in metadata", { metadata: { a: "\0" } }, 400, "invalid_json"],
  [
    "a private webhook address",
    { webhook_url_override: "http://10.0.0.1/x" },
    400,
    "destination_not_allowed",
  ],
  [
    "eleven tags",
    { tags: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`t${i}`, "x"])) },
    400,
    "invalid_body",
  ],
])("refuses an import with %s", async (_case, fields, status, code) => {
  const refused = await importKey("refused-1", fields);
  const absent = await call("full", "GET", "/connections/refused-1?provider_config_key=plain");

  expect(refused).toMatchObject({ status, body: { error: { code } } });
  expect(absent.status).toBe(404);
});

test("lists newest first, without credentials, by every filter", async () => {
  const tagged = { tags: { crew: "list", end_user_email: "Ada@example.com" } };
  await importKey("list-a", tagged);
  installation.clock.advance(1000);
  await importKey("list-b", { ...tagged, provider_config_key: "second" });
  installation.clock.advance(1000);
  await importKey("list-c", { tags: { crew: "list" } });

  const ids = async (query: string) =>
    (await call("full", "GET", `/connections?${query}`)).body.connections.map(
      (item: { connection_id: string }) => item.connection_id,
    );

  expect(await ids("tags[crew]=list")).toEqual(["list-c", "list-b", "list-a"]);
  expect(await ids("tags[Crew]=list&limit=2&page=1")).toEqual(["list-a"]);
  expect(await ids("tags[crew]=list&tags[end_user_email]=Ada@example.com")).toEqual([
    "list-b",
    "list-a",
  ]);
  expect(await ids("tags[crew]=list&integrationId=second,nope")).toEqual(["list-b"]);
  expect(await ids("connectionId=list-a")).toEqual(["list-a"]);
  expect(await ids("search=ADA@EX")).toEqual(["list-b", "list-a"]);
  expect(await ids("search=100%25_")).toEqual([]);
  const listed = await call("full", "GET", "/connections?tags[crew]=list");
  expect(JSON.stringify(listed.body)).not.toContain("key of");
});

test("a key that may not read credentials may not ask to refresh or for the refresh token", async () => {
  await importKey("flags-1");

  const path = "/connections/flags-1?provider_config_key=plain";
  const refresh = await call("reader", "GET", `${path}&force_refresh=true`);
  const token = await call("reader", "GET", `${path}&refresh_token=true`);

  expect(refresh).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  expect(token.status).toBe(403);
});

test("removes refresh tokens at any depth unless asked for, and does not refresh without the scope", async () => {
  await using provider = await startRotatingServer({ expiresIn: 3600 });
  const { ctx } = installation;
  const { connection, integration } = await prepareConnection(ctx, { ...provider, expiresIn: -1 });
  const path = `/connections/${connection.connectionId}?provider_config_key=${integration.uniqueKey}`;

  const plain = await call("reader", "GET", path);
  const requestsBefore = provider.requests.length;
  const usual = await call("full", "GET", path);
  const asked = await call("full", "GET", `${path}&refresh_token=true`);

  expect(plain.status).toBe(200);
  expect(requestsBefore).toBe(0);
  expect(usual.body.credentials.access_token).toBe("access-1");
  expect(JSON.stringify(usual.body)).not.toContain("refresh-1");
  expect(asked.body.credentials.refresh_token).toBe("refresh-1");
  expect(asked.body.credentials.raw.refresh_token).toBe("refresh-1");
});

test("metadata is replaced or merged on its first level", async () => {
  await importKey("meta-1", { metadata: { a: 1, deep: { x: 1 } } });
  const change = (fields: object) => ({
    connection_id: "meta-1",
    provider_config_key: "plain",
    metadata: fields,
  });

  const merged = await call(
    "full",
    "PATCH",
    "/connections/metadata",
    change({ b: 2, deep: { y: 1 } }),
  );
  const afterMerge = await call("reader", "GET", "/connections/meta-1?provider_config_key=plain");
  const replaced = await call("full", "POST", "/connection/metadata", change({ only: true }));
  const afterReplace = await call("reader", "GET", "/connections/meta-1?provider_config_key=plain");

  expect(merged).toMatchObject({ status: 200, body: change({ b: 2, deep: { y: 1 } }) });
  expect(afterMerge.body.metadata).toEqual({ a: 1, b: 2, deep: { y: 1 } });
  expect(replaced.status).toBe(201);
  expect(afterReplace.body.metadata).toEqual({ only: true });
});

test("metadata of many connections changes for all or for none", async () => {
  await importKey("many-1");
  await importKey("many-2");
  const change = (ids: string[]) => ({
    connection_id: ids,
    provider_config_key: "plain",
    metadata: { done: true },
  });

  const missing = await call("full", "PATCH", "/connections/metadata", change(["many-1", "nope"]));
  const untouched = await call("reader", "GET", "/connections/many-1?provider_config_key=plain");
  const none = await call("full", "PATCH", "/connections/metadata", change([]));
  const both = await call(
    "full",
    "PATCH",
    "/connections/metadata",
    change(["many-1", "many-2", "many-1"]),
  );
  const changed = await call("reader", "GET", "/connections/many-2?provider_config_key=plain");

  expect(missing).toMatchObject({ status: 404, body: { error: { code: "unknown_connection" } } });
  expect(untouched.body.metadata).toEqual({});
  expect(none.status).toBe(200);
  expect(both.status).toBe(200);
  expect(changed.body.metadata).toEqual({ done: true });
});

test("a hundred merges at once lose none", async () => {
  await importKey("merge-race");

  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      call("full", "PATCH", "/connections/metadata", {
        connection_id: "merge-race",
        provider_config_key: "plain",
        metadata: { [`field${index}`]: index },
      }),
    ),
  );
  const read = await call("reader", "GET", "/connections/merge-race?provider_config_key=plain");

  expect(Object.keys(read.body.metadata)).toHaveLength(100);
});

test("deletes a connection once, forgets its credentials and frees its id", async () => {
  const { body: before } = await importKey("delete-1");
  const path = "/connections/delete-1?provider_config_key=plain";

  const first = await call("full", "DELETE", path);
  const second = await call("full", "DELETE", path);
  const { rows } = await sql<{ bytes: number }>`
    select length(credentials) as bytes from connections where id = ${before.id}`.execute(
    installation.ctx.db,
  );
  const again = await importKey("delete-1");

  expect(first).toEqual({ status: 200, body: { success: true } });
  expect(second).toMatchObject({ status: 404, body: { error: { code: "unknown_connection" } } });
  expect(rows[0]?.bytes).toBe(0);
  expect(again.body.id).not.toBe(before.id);
  expect(reported).toContain("deletion delete-1");
});

test("a reaction that fails undoes the deletion", async () => {
  await importKey("delete-2");
  const path = "/connections/delete-2?provider_config_key=plain";

  refuseDeletion = true;
  const refused = await call("full", "DELETE", path);
  refuseDeletion = false;
  const still = await call("full", "GET", path);

  expect(refused.status).toBe(409);
  expect(still.body.credentials.apiKey).toBe("key of delete-2");
});

test("another environment sees and changes nothing: it gets the answer for a random id", async () => {
  await importKey("tenant-1");
  const known = "tenant-1?provider_config_key=plain";
  const random = "random-1?provider_config_key=plain";
  const change = (id: string) => ({
    connection_id: id,
    provider_config_key: "plain",
    metadata: { stolen: true },
  });
  const blur = (answer: unknown) => JSON.stringify(answer).replaceAll(/tenant-1|random-1/g, "id");

  for (const [method, prefix] of [
    ["GET", "/connections/"],
    ["DELETE", "/connections/"],
  ] as const) {
    const tried = await call("other", method, prefix + known);
    expect(tried.status).toBe(404);
    expect(blur(tried)).toBe(blur(await call("other", method, prefix + random)));
  }
  for (const method of ["POST", "PATCH"] as const) {
    const tried = await call("other", method, "/connections/metadata", change("tenant-1"));
    expect(tried.status).toBe(404);
    expect(blur(tried)).toBe(
      blur(await call("other", method, "/connections/metadata", change("random-1"))),
    );
  }
  const listed = await call("other", "GET", "/connections?connectionId=tenant-1");
  const own = await call("full", "GET", `/connections/${known}`);
  expect(listed.body).toEqual({ connections: [], next_cursor: null });
  expect(own.body.metadata).toEqual({});
});
