import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, type EnvironmentContext, HOUR } from "#foundation";
import { type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let call: KeyedServer["call"];
let ctx: EnvironmentContext;
let full: string;

const KEYS = "/environment/api-keys";

beforeAll(async () => {
  server = await startKeyedServer();
  ({ call } = server);
  ({ ctx } = server.installation);
  full = await server.newKey(ctx, "environment:*");
});
afterAll(async () => await server[Symbol.asyncDispose]());

const add = async (body: { display_name: string; [field: string]: unknown }) =>
  (await call(full, "POST", KEYS, body)).body.data;
const replace = async (key: string, body: object) =>
  await call(key, "POST", `${KEYS}/replace`, body);
const statusOf = async (key: string) => (await call(key, "GET", KEYS)).status;

test("a key like each of the named takes its place at once", async () => {
  const expires_at = new Date(Date.now() + DAY).toISOString();
  const backend = await add({ display_name: "backend", scopes: ["environment:api_keys:list"] });
  const agent = await add({
    display_name: "agent",
    scopes: ["environment:mcp"],
    bound_to: { end_user_id: "u1", integrations: ["crm"] },
    expires_at,
  });

  const { status, body } = await replace(full, { key_ids: [agent.id, backend.id] });

  expect(status).toBe(200);
  const [newAgent, newBackend] = body.data;
  expect(newAgent).toMatchObject({
    replaced_key_id: agent.id,
    works_until: null,
    key: {
      display_name: "agent",
      scopes: ["environment:mcp"],
      bound_to: { end_user_id: "u1", integrations: ["crm"] },
      expires_at,
    },
  });
  expect(newBackend.key).toMatchObject({ display_name: "backend", expires_at: null });
  expect(newBackend.key.id).not.toBe(backend.id);
  expect([await statusOf(backend.secret), await statusOf(newBackend.key.secret)]).toEqual([
    401, 200,
  ]);
});

test("with a grace period both keys work until it ends", async () => {
  const { id, secret } = await add({ display_name: "slow to change" });

  const { body } = await replace(full, { key_ids: [id], grace_seconds: 3600 });

  const [{ key, works_until }] = body.data;
  const leftMs = Date.parse(works_until) - ctx.clock.now().getTime();
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(HOUR);
  expect([await statusOf(secret), await statusOf(key.secret)]).toEqual([200, 200]);
  const listed = (await call(full, "GET", KEYS)).body.data;
  expect(listed.find((each: { id: string }) => each.id === id)).toMatchObject({
    display_name: `slow to change (replaced, ${id.slice(0, 8)})`,
    expires_at: works_until,
  });
});

test("where one key does not exist, none is replaced", async () => {
  const { id, secret } = await add({ display_name: "kept" });

  const unknown = await replace(full, { key_ids: [id, randomUUID()] });
  const still = await statusOf(secret);

  expect(unknown).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  expect(unknown.body.error.message).toContain("none was replaced");
  expect(still).toBe(200);
});

test("nobody gains a key that may do more, or ends one without the scope for it", async () => {
  const strong = await add({ display_name: "strong" });
  const weak = await server.newKey(ctx, "environment:api_keys:*");
  const maker = await server.newKey(
    ctx,
    "environment:api_keys:create",
    "environment:api_keys:list",
  );
  const light = await add({ display_name: "light", scopes: ["environment:api_keys:list"] });

  const gained = await replace(weak, { key_ids: [strong.id] });
  const ended = await replace(maker, { key_ids: [light.id] });
  const long = await replace(full, { key_ids: [light.id], grace_seconds: 604_801 });
  const none = await replace(full, { key_ids: [] });

  expect([gained, ended].map(({ status }) => status)).toEqual([403, 403]);
  expect([long, none].map(({ body }) => body.error.code)).toEqual(["invalid_body", "invalid_body"]);
  expect([await statusOf(strong.secret), await statusOf(light.secret)]).toEqual([200, 200]);
});

test("a key that replaces itself has its answer", async () => {
  const { id, secret } = await add({ display_name: "own" });

  const { status, body } = await replace(secret, { key_ids: [id] });

  expect(status).toBe(200);
  expect([await statusOf(secret), await statusOf(body.data[0].key.secret)]).toEqual([401, 200]);
});

test("old and new keys together are no more than an environment may have", async () => {
  const { id, secret } = await add({ display_name: "one of many" });
  const { length } = (await call(full, "GET", KEYS)).body.data;
  for (let count = length; count < 50; count += 1) await add({ display_name: `filler ${count}` });

  const both = await replace(full, { key_ids: [id], grace_seconds: 60 });
  const untouched = await statusOf(secret);
  const atOnce = await replace(full, { key_ids: [id] });

  expect(both).toMatchObject({ status: 400, body: { error: { code: "resource_capped" } } });
  expect([untouched, atOnce.status]).toEqual([200, 200]);
});

test("keys of the account are replaced by those who may create and delete them", async () => {
  const path = "/account/api-keys";
  const owner = await server.newKey("account", "account:*");
  const maker = await server.newKey("account", "account:api_keys:create", "account:api_keys:list");
  const elsewhere = await server.newKey("account", "account:environments:*");
  const add = { display_name: "directory", scopes: ["account:api_keys:list"] };
  const { id, secret } = (await call(owner, "POST", path, add)).body.data;

  const refused = await call(maker, "POST", `${path}/replace`, { key_ids: [id] });
  const foreign = await call(elsewhere, "POST", `${path}/replace`, { key_ids: [id] });
  const inside = await call(full, "POST", `${path}/replace`, { key_ids: [id] });
  const body = { key_ids: [id], grace_seconds: 3600 };
  const { status, body: answer } = await call(owner, "POST", `${path}/replace`, body);

  expect([refused, foreign, inside].map((each) => each.status)).toEqual([403, 403, 403]);
  expect(refused.body.error.message).toContain("`account:api_keys:delete`");
  expect(status).toBe(200);
  const [{ key, replaced_key_id, works_until }] = answer.data;
  expect(replaced_key_id).toBe(id);
  expect(key).toMatchObject(add);
  const listed = (await call(owner, "GET", path)).body.data;
  expect(listed.find((each: { id: string }) => each.id === id)).toMatchObject({
    display_name: `directory (replaced, ${id.slice(0, 8)})`,
    expires_at: works_until,
    replaced_by: key.id,
  });
  const works = async (each: string) => (await call(each, "GET", path)).status;
  expect([await works(secret), await works(key.secret)]).toEqual([200, 200]);
});
