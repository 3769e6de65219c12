import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listSigningKeys } from "#environments";
import { flushLogs } from "#logs";
import { DAY, type EnvironmentContext } from "#platform";
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
    "`hmac_enabled` must be left out or off: public keys and their HMAC have ended; use connect sessions.",
  ],
  [
    { slack_notifications: true },
    400,
    "`slack_notifications` must be left out or off: nothing is sent to Slack; subscribe to webhooks.",
  ],
  [
    { otlp_endpoint: "https://otel.example" },
    400,
    "`otlp_endpoint` must be left out or empty: operations are read with GET /logs/operations.",
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
    scopes: fitting.body.data.scopes,
    created_at: fitting.body.data.created_at,
    last_used_at: ctx.clock.now().toISOString(),
  });
  expect(JSON.stringify(own.body)).not.toContain(fitting.body.data.secret.slice(8));
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
