import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listOldNames, listSigningKeys } from "#environments";
import { DAY, type EnvironmentContext } from "#foundation";
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

test("an account key makes an environment with a first key that works in it", async () => {
  const callback_url = "https://example.com/cb";

  const made = await call(account, "POST", "/environments", { name: "staging", callback_url });
  const key = made.body.data.api_key.secret;
  const settings = await call(key, "GET", "/environment/settings");
  const again = await call(account, "POST", "/environments", { name: "staging" });

  expect(made).toMatchObject({
    status: 200,
    body: { data: { name: "staging", is_production: false, api_key: { display_name: "default" } } },
  });
  expect(settings.body.data.callback_url).toBe(callback_url);
  expect(again).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  const listed = await call(account, "GET", "/environments");
  expect(listed.body.data.map((each: { name: string }) => each.name)).toContain("staging");
});

test.each([
  [
    { hmac_enabled: false, hmac_key: "", slack_notifications: false, otlp_headers: [] },
    200,
    undefined,
  ],
  [
    { hmac_enabled: true },
    400,
    "`hmac_enabled` must be omitted or off: public keys and their HMAC have ended; use connect sessions.",
  ],
  [
    { slack_notifications: true },
    400,
    "`slack_notifications` must be omitted or off: nothing is sent to Slack; subscribe to webhooks.",
  ],
  [
    { otlp_endpoint: "https://otel.example" },
    400,
    "`otlp_endpoint` must be omitted or empty: operations are read with GET /logs/operations.",
  ],
])(
  "what is not built is taken only where it asks for nothing: %j",
  async (wanted, status, message) => {
    const made = await call(account, "POST", "/environments", {
      name: `asks-${status}`,
      ...wanted,
    });

    expect([made.status, made.body.error?.message]).toEqual([status, message]);
  },
);

test("a read scope alone shows masks; secrets need a scope of their own, and what they belong to", async () => {
  const made = await call(account, "POST", "/environments", { name: "masks" });
  const { id, api_key } = made.body.data;
  const limited = async (...scopes: string[]) => {
    const wanted = { environment_id: id, display_name: scopes.join(), scopes };
    return (await call(account, "POST", "/environment/api-keys", wanted)).body.data.secret;
  };
  const reader = await limited("environment:webhooks:read", "environment:variables:read");
  const revealer = await limited(
    "environment:webhooks:read",
    "environment:variables:read",
    "environment:secrets:reveal",
  );
  const stray = await limited("environment:secrets:reveal");
  await call(api_key.secret, "PUT", "/environment-variables/TOKEN_A", { value: "s3cret-value" });
  const whole = (await call(api_key.secret, "GET", "/environment/webhooks")).body.data;

  const settings = (await call(reader, "GET", "/environment/webhooks")).body.data;
  const variables = await call(reader, "GET", "/environment-variables");
  const refused = await call(reader, "POST", "/environment-variables/TOKEN_A/reveal");
  const keys = await call(revealer, "POST", "/environment/webhooks/reveal");
  const value = await call(revealer, "POST", "/environment-variables/TOKEN_A/reveal");
  const unrelated = await call(stray, "POST", "/environment-variables/TOKEN_A/reveal");
  const missing = await call(revealer, "POST", "/environment-variables/NONE/reveal");

  expect(whole.signing_key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(settings.signing_key).toBe(`whsec_********${whole.signing_key.slice(-4)}`);
  expect(JSON.stringify(settings)).not.toContain(whole.signing_key.slice(6, -4));
  expect(variables.body).toContainEqual({ name: "TOKEN_A", value: "********", masked: true });
  expect([refused.status, unrelated.status, missing.status]).toEqual([403, 403, 404]);
  expect(refused.body.error.message).toContain("environment:secrets:reveal");
  expect(keys.body.data).toMatchObject({ signing_key: whole.signing_key });
  expect(keys.headers["cache-control"]).toBe("no-store");
  expect(value.body).toEqual({ data: { name: "TOKEN_A", value: "s3cret-value" } });
});

const needs: [string, "GET" | "POST" | "PUT" | "PATCH" | "DELETE", string, object?][] = [
  ["environment:api_keys:list", "GET", "/environment/api-keys"],
  ["environment:api_keys:create", "POST", "/environment/api-keys", { display_name: "x" }],
  ["environment:api_keys:delete", "DELETE", "/environment/api-keys", { key_id: randomUUID() }],
  ["environment:settings:read", "GET", "/environment/settings"],
  ["environment:settings:write", "PATCH", "/environment/settings", {}],
  ["environment:webhooks:read", "GET", "/environment/webhooks"],
  ["environment:webhooks:write", "PATCH", "/environment/webhooks", {}],
  ["environment:webhook_signing_key:rotate", "POST", "/environment/webhook-signing-key/rotate", {}],
  ["environment:variables:read", "GET", "/environment-variables"],
  ["environment:variables:write", "PUT", "/environment-variables/A", { value: "" }],
  ["environment:variables:write", "DELETE", "/environment-variables/A"],
];

test("production needs a scope of its own, and no key is made for who may make none", async () => {
  const creator = await server.newKey("account", "account:environments:create");

  const plain = await call(creator, "POST", "/environments", { name: "plain" });
  const production = await call(creator, "POST", "/environments", {
    name: "live",
    is_production: true,
  });

  expect(plain.status).toBe(200);
  expect(plain.body.data).not.toHaveProperty("api_key");
  expect(production).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  expect(production.body.error.message).toContain("set_production");
});

test("a deleted environment's keys stop working; production and unknown ones are not deleted", async () => {
  const made = await call(account, "POST", "/environments", { name: "gone" });
  const live = await call(account, "POST", "/environments", { name: "lives", is_production: true });
  const { id, api_key } = made.body.data;

  const deleted = await call(account, "DELETE", `/environments/${id}`);
  const after = await call(api_key.secret, "GET", "/environment-variables");
  const again = await call(account, "DELETE", `/environments/${id}`);
  const production = await call(account, "DELETE", `/environments/${live.body.data.id}`);

  expect([deleted.status, deleted.body]).toEqual([204, undefined]);
  expect(after).toMatchObject({ status: 401, body: { error: { code: "unknown_account" } } });
  expect(again).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  expect(production.body.error.code).toBe("cannot_delete_prod_environment");
  const { rows } = await server.installation.database.pool.query(
    "select task_identifier from graphile_worker.jobs",
  );
  expect(rows).toContainEqual({ task_identifier: "integrations.remove-environment" });
  const name = await call(account, "POST", "/environments", { name: "gone" });
  expect(name.status).toBe(200);
});

test("an environment is renamed and marked; the name of its keys' environment follows", async () => {
  const made = await call(account, "POST", "/environments", { name: "before" });
  const { id, api_key } = made.body.data;
  const marker = await server.newKey("account", "account:environments:set_production");
  const path = `/environments/${id}`;

  const renamed = await call(account, "PATCH", path, { name: "after" });
  const seen = await call(api_key.secret, "GET", "/environment");
  const marked = await call(marker, "PATCH", path, { is_production: true });
  const refused = await call(marker, "PATCH", path, { name: "mine" });
  const taken = await call(account, "PATCH", path, { name: "staging" });
  const unknown = await call(account, "PATCH", `/environments/${randomUUID()}`, { name: "x" });

  expect(renamed.body.data).toMatchObject({ id, name: "after", is_production: false });
  const ofKey = { id: expect.any(String), name: expect.any(String) };
  expect(seen.body.data).toEqual({ ...renamed.body.data, account: ofKey });
  expect(marked.body.data).toMatchObject({ name: "after", is_production: true });
  expect([refused.status, taken.status, unknown.status]).toEqual([403, 409, 404]);
});

test("names that environments had are kept for the one that had them last, until one takes them", async () => {
  const { db } = ctx;
  const accountId = ctx.environment.accountId;
  const make = async (name: string) =>
    (await call(account, "POST", "/environments", { name })).body.data.id;
  const rename = async (id: string, name: string) =>
    await call(account, "PATCH", `/environments/${id}`, { name });
  const oldOf = async () =>
    Object.fromEntries(
      (await listOldNames(db, accountId)).map((row) => [row.name, row.environmentId]),
    );

  const first = await make("n-1");
  await rename(first, "n-2");
  await rename(first, "n-3");
  const renamed = await oldOf();
  const second = await make("n-1");
  const taken = await oldOf();
  await rename(second, "n-4");
  const free = await oldOf();
  await rename(first, "n-2");
  const back = await oldOf();

  expect(renamed).toMatchObject({ "n-1": first, "n-2": first });
  expect(taken).not.toHaveProperty("n-1");
  expect(free).toMatchObject({ "n-1": second, "n-2": first });
  expect(back).toMatchObject({ "n-1": second, "n-3": first });
  expect(back).not.toHaveProperty("n-2");
});

test("settings have defaults and change at every depth only where sent", async () => {
  const key = await server.newKey(server.other, "environment:*");
  const before = await call(key, "GET", "/environment/settings");

  const changed = await call(key, "PATCH", "/environment/settings", {
    validation: { records: "fail" },
    connect_allowed_origins: ["https://app.example.com"],
    connect_ui: { theme: { dark: { primary: "#112233" } } },
    retention: { webhooks_days: 7 },
  });
  await call(key, "PATCH", "/environment/settings", { async_action_limit: 3 });
  const after = await call(key, "GET", "/environment/settings");

  expect(before.body.data).toMatchObject({
    validation: { input: "fail", output: "warn", records: "warn" },
    async_action_limit: 10,
    callback_url: "",
    connect_allowed_origins: [],
    retention: { records_prune_days: null, records_delete_days: null, webhooks_days: 30 },
  });
  expect(changed.body.data).toEqual({
    ...before.body.data,
    validation: { ...before.body.data.validation, records: "fail" },
    connect_allowed_origins: ["https://app.example.com"],
    connect_ui: {
      ...before.body.data.connect_ui,
      theme: { light: { primary: "#00B2E3" }, dark: { primary: "#112233" } },
    },
    retention: { ...before.body.data.retention, webhooks_days: 7 },
  });
  expect(after.body.data).toEqual({ ...changed.body.data, async_action_limit: 3 });
  expect((await call(full, "GET", "/environment/settings")).body.data).toEqual(before.body.data);
});

test.each([
  [{ validation: { records: "maybe" } }, "validation.records"],
  [{ async_action_limit: 0 }, "async_action_limit"],
  [{ callback_url: "ftp://x" }, "callback_url"],
  [{ connect_allowed_origins: ["https://a.example/path"] }, "connect_allowed_origins.0"],
  [{ connect_allowed_origins: ["https://*"] }, "connect_allowed_origins.0"],
  [{ connect_allowed_origins: ["https://*.example.com"] }, "connect_allowed_origins.0"],
  [{ connect_ui: { theme: { light: { primary: "red" } } } }, "connect_ui.theme.light.primary"],
  [{ retention: { webhooks_days: 0 } }, "retention.webhooks_days"],
  [{ colour: 1 }, ""],
])("refuses the settings %j", async (body, path) => {
  const refused = await call(full, "PATCH", "/environment/settings", body);

  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
  expect(refused.body.error.errors[0].path.join(".")).toBe(path);
});

test("variables are set, replaced and deleted", async () => {
  const set = async (name: string, value: string) =>
    await call(full, "PUT", `/environment-variables/${name}`, { value });

  await set("TOKEN", "one");
  const replaced = await set("TOKEN", "two");
  const listed = await call(full, "GET", "/environment-variables");
  const deleted = await call(full, "DELETE", "/environment-variables/TOKEN");
  const again = await call(full, "DELETE", "/environment-variables/TOKEN");
  const wrong = await set("9 lives", "x");

  expect(replaced).toMatchObject({ status: 200, body: { success: true } });
  expect(listed.body).toEqual([{ name: "TOKEN", value: "two" }]);
  expect(deleted.status).toBe(200);
  expect(again).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  expect(wrong.body.error.code).toBe("invalid_uri_params");
});

test("a rotated signing key signs next to the old one for a day, or alone at once", async () => {
  const own = await server.installation.addEnvironment();
  const key = await server.newKey(own, "environment:*");
  const rotate = async (body?: object) =>
    await call(key, "POST", "/environment/webhook-signing-key/rotate", body);
  const signing = async () => (await listSigningKeys(own)).map((each) => each.key.reveal());

  const first = (await rotate()).body.data.webhook_signing_key;
  const second = (await rotate()).body.data.webhook_signing_key;
  expect(await signing()).toEqual([second, first]);
  const early = await rotate({});
  const third = (await rotate({ immediate: true })).body.data.webhook_signing_key;
  expect(await signing()).toEqual([third]);
  const fourth = (await rotate()).body.data.webhook_signing_key;
  server.installation.clock.advance(DAY + 1000);

  expect(await signing()).toEqual([fourth]);
  expect(early).toMatchObject({
    status: 409,
    body: { error: { code: "multiple_webhook_signing_keys" } },
  });
  const settings = await call(key, "GET", "/environment/webhooks");
  expect(settings.body.data.signing_keys).toMatchObject([{ key: fourth, expires_at: null }]);
});

test.each(needs)(
  "without %s: %s %s is refused, and for a key of the account too",
  async (...row) => {
    const [scope, method, url, body] = row;
    const lacking = await server.newKey(ctx, "environment:proxy");
    const poor = await server.newKey("account", "account:environments:list");

    const refused = await call(lacking, method, url, body);
    const byAccount = await call(poor, method, url, body);

    expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    expect(refused.body.error.message).toContain(scope);
    expect(byAccount).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  },
);

test.each([
  ["GET", "/environments"],
  ["POST", "/environments"],
  ["DELETE", `/environments/${randomUUID()}`],
] as const)("%s %s is no route for a key of an environment", async (method, url) => {
  const body = method === "POST" ? { name: "x" } : undefined;

  expect(await call(full, method, url, body)).toMatchObject({ status: 403 });
});
