import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, type EnvironmentContext } from "#foundation";
import { flushLogs } from "#logs";
import { type KeyedServer, startKeyedServer } from "#testing";

let server: KeyedServer;
let call: KeyedServer["call"];
let ctx: EnvironmentContext;
let full: string;
let account: string;

beforeAll(async () => {
  server = await startKeyedServer();
  ({ call } = server);
  ({ ctx } = server.installation);
  full = await server.newKey(ctx, "environment:*");
  account = await server.newKey("account", "account:*");
});
afterAll(async () => await server[Symbol.asyncDispose]());

test("a key makes keys of its environment that hold no more than itself", async () => {
  const limited = await server.newKey(
    ctx,
    "environment:api_keys:*",
    "environment:connections:read_credentials",
  );
  const make = async (display_name: string, scopes?: string[]) =>
    await call(limited, "POST", "/environment/api-keys", { display_name, scopes });

  const fitting = await make("fits", ["environment:connections:read", "environment:api_keys:list"]);
  const beyond = await make("beyond", ["environment:connections:*"]);
  const byDefault = await make("default scopes");

  expect(fitting.status).toBe(200);
  expect(fitting.body.data).toMatchObject({
    display_name: "fits",
    scopes: ["environment:connections:read", "environment:api_keys:list"],
    secret: expect.stringMatching(/^svc_key_/),
  });
  for (const refused of [beyond, byDefault]) {
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  }
  expect(beyond.body.error.message).toContain("`environment:connections:*`");
  const own = await call(fitting.body.data.secret, "GET", "/environment/api-keys");
  expect(own.body.data.find((key: { id: string }) => key.id === fitting.body.data.id)).toEqual({
    id: fitting.body.data.id,
    display_name: "fits",
    bound_to: null,
    scopes: fitting.body.data.scopes,
    created_at: fitting.body.data.created_at,
    created_by: fitting.body.data.created_by,
    expires_at: null,
    last_used_at: ctx.clock.now().toISOString(),
    last_used_from: { address: "127.0.0.1", user_agent: "lightMyRequest" },
    replaced_by: null,
  });
  expect(JSON.stringify(own.body)).not.toContain(fitting.body.data.secret.slice(8));
});

test("a key is changed in name, scopes and end, and works with the same secret", async () => {
  const made = await call(full, "POST", "/environment/api-keys", {
    display_name: "changes",
    scopes: ["environment:api_keys:list"],
  });
  const { id: key_id, secret } = made.body.data;

  const changed = await call(full, "PATCH", "/environment/api-keys", {
    key_id,
    display_name: "changed",
    scopes: ["environment:variables:read"],
  });
  const nameOnly = await call(full, "PATCH", "/environment/api-keys", { key_id });

  expect(changed.body.data).toMatchObject({
    id: key_id,
    display_name: "changed",
    scopes: ["environment:variables:read"],
    created_by: { kind: "key", name: expect.any(String) },
    expires_at: null,
  });
  expect(nameOnly.body.data).toEqual(changed.body.data);
  expect((await call(secret, "GET", "/environment-variables")).status).toBe(200);
  expect((await call(secret, "GET", "/environment/api-keys")).status).toBe(403);
  const taken = await call(full, "PATCH", "/environment/api-keys", {
    key_id,
    display_name: "fits",
  });
  expect(taken).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  const unknown = await call(full, "PATCH", "/environment/api-keys", { key_id: randomUUID() });
  expect(unknown.status).toBe(404);
});

test("nobody gains by changing a key that may do more, or by making one that lasts longer", async () => {
  const strong = await call(full, "POST", "/environment/api-keys", { display_name: "strong" });
  const weak = await server.newKey(ctx, "environment:api_keys:*");
  const end = new Date(Date.now() + DAY).toISOString();
  const ending = await call(full, "POST", "/environment/api-keys", {
    display_name: "ends",
    expires_at: end,
  });
  const { secret, id: endingId } = ending.body.data;
  const change = async (key: string, body: object) =>
    await call(key, "PATCH", "/environment/api-keys", body);

  const weakened = await change(weak, {
    key_id: strong.body.data.id,
    scopes: ["environment:api_keys:list"],
  });
  const prolonged = await change(secret, { key_id: endingId, expires_at: null });
  const longer = await call(secret, "POST", "/environment/api-keys", { display_name: "longer" });
  const shorter = await call(secret, "POST", "/environment/api-keys", {
    display_name: "shorter",
    expires_at: end,
  });

  expect([weakened, prolonged, longer].map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(longer.body.error.message).toContain(`expires at ${end}`);
  expect(shorter.body.data.expires_at).toBe(end);
  const past = await call(full, "POST", "/environment/api-keys", {
    display_name: "past",
    expires_at: "2020-01-01T00:00:00Z",
  });
  expect(past).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
});

test("a key of the account makes, changes and deletes keys of the account, and no more than it holds", async () => {
  const made = await call(account, "POST", "/account/api-keys", {
    display_name: "lister",
    scopes: ["account:environments:list", "account:api_keys:*"],
  });
  const { secret, id: key_id } = made.body.data;

  const beyond = await call(secret, "POST", "/account/api-keys", { display_name: "beyond" });
  const listed = await call(secret, "GET", "/account/api-keys");
  const renamed = await call(account, "PATCH", "/account/api-keys", { key_id, display_name: "l" });
  const inside = await call(full, "GET", "/account/api-keys");
  const deleted = await call(account, "DELETE", "/account/api-keys", { key_id });

  expect(beyond).toMatchObject({ status: 403 });
  expect(listed.body.data.map((key: { id: string }) => key.id)).toContain(key_id);
  expect(JSON.stringify(listed.body)).not.toContain(secret.slice(8));
  expect(renamed.body.data.display_name).toBe("l");
  expect(inside.status).toBe(403);
  expect(deleted.status).toBe(200);
  expect((await call(secret, "GET", "/account/api-keys")).status).toBe(401);
  expect((await call(account, "DELETE", "/account/api-keys", { key_id })).status).toBe(404);
});

test.each([
  ["an unknown scope", ["environment:everything"]],
  ["a scope of the account", ["account:*"]],
  ["a star over nothing", ["environment:nothing:*"]],
  ["no scope", []],
])("refuses a key with %s", async (_case, scopes) => {
  const refused = await call(full, "POST", "/environment/api-keys", { display_name: "x", scopes });

  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
  expect(refused.body.error.errors[0].path[0]).toBe("scopes");
});

test("names of keys are unique, and an environment has 50 keys at most", async () => {
  const busy = await server.installation.addEnvironment();
  const key = await server.newKey(busy, "environment:*");
  const make = async (display_name: string) =>
    await call(key, "POST", "/environment/api-keys", { display_name });

  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => make(`k${n}`)));
  const kept = answers.find(({ status }) => status === 200)?.body.data;
  const twice = await make(kept.display_name);
  const removed = await call(key, "DELETE", "/environment/api-keys", { key_id: kept.id });
  const gone = await call(kept.secret, "GET", "/environment-variables");

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
  expect(
    new Set(answers.filter(({ status }) => status !== 200).map((a) => a.body.error.code)),
  ).toEqual(new Set(["resource_capped"]));
  expect(twice).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  expect(removed).toMatchObject({ status: 200, body: { success: true } });
  expect(gone.status).toBe(401);
  expect((await make(kept.display_name)).status).toBe(200);
});

test("a key of the account names the environment, and another's is as good as none", async () => {
  const environment_id = ctx.environment.id;
  const make = async (body: object) =>
    await call(account, "POST", "/environment/api-keys", { display_name: randomUUID(), ...body });

  const made = await make({ environment_id });
  const unnamed = await make({});
  const unknown = await make({ environment_id: randomUUID() });
  const listed = await call(
    account,
    "GET",
    `/environment/api-keys?environment_id=${environment_id}`,
  );
  const unnamedList = await call(account, "GET", "/environment/api-keys");
  const foreign = await call(
    full,
    "GET",
    `/environment/api-keys?environment_id=${server.other.environment.id}`,
  );
  const random = await call(full, "GET", `/environment/api-keys?environment_id=${randomUUID()}`);
  const theirs = (await make({ environment_id: server.other.environment.id })).body.data;
  const foreignKey = await call(full, "DELETE", "/environment/api-keys", { key_id: theirs.id });
  const still = await call(theirs.secret, "GET", "/environment-variables");

  expect(made.body.data.scopes).toEqual(["environment:*"]);
  expect(unnamed).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
  expect(unnamedList.body.error.code).toBe("invalid_query_params");
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  expect(listed.status).toBe(200);
  expect(foreign.status).toBe(404);
  expect(foreign.body.error.code).toBe(random.body.error.code);
  expect(foreignKey).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  expect(still.status).toBe(200);
});

test("changes are logged for the environment, without secrets", async () => {
  const own = await server.installation.addEnvironment();
  const key = await server.newKey(own, "environment:*");

  await call(key, "PUT", "/environment-variables/CANARY", { value: "canary-value" });
  const made = await call(key, "POST", "/environment/api-keys", { display_name: "logged" });
  await call(key, "PATCH", "/environment/settings", { async_action_limit: 2 });
  await flushLogs(ctx);

  const { rows } = await server.installation.database.pool.query(
    "select type, action, state, message, actor::text, meta::text from operations where environment_id = $1",
    [own.environment.id],
  );
  expect(rows.map(({ type, action, state }) => [type, action, state])).toEqual(
    Array.from({ length: 3 }, () => ["admin", "change", "success"]),
  );
  const text = JSON.stringify(rows);
  expect(text).toContain("Create the API key logged");
  expect(text).not.toContain("canary-value");
  expect(text).not.toContain(made.body.data.secret.slice(8));
});
