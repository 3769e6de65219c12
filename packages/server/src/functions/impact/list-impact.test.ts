import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DAY, type EnvironmentContext } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { createIntegration } from "#integrations";
import { ensureLogPartitions, newOperationId } from "#logs";
import { countConsumer, deleteOldConsumers, flushConsumers } from "../consumers/count-consumer.ts";
import { deployFunctions } from "../deploy/deploy-functions.ts";
import { planDeployment } from "../deploy/plan-deployment.ts";
import { findFunction } from "../get-function.ts";
import { countRunOf } from "../run-counts/count-run.ts";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newOnEvent,
  newSync,
  newUpload,
} from "../testing/index.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let crm: { id: number };

beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

beforeEach(async () => {
  ctx = await app.addEnvironment();
  crm = await insertTestIntegration(ctx, "crm");
});

type Flow = Parameters<typeof newSync>[1];
type Schema = Record<string, unknown>;

const object = (
  properties: object,
  required: readonly string[] = Object.keys(properties),
): Schema => ({
  type: "object",
  properties,
  required: [...required],
});
const text = { type: "string" };

function writing(model: Schema, change: Flow = {}) {
  return newSync("contacts", {
    models_json_schema: { definitions: { Contact: model } },
    ...change,
  });
}

function acting(input: Schema, output: Schema, change: Flow = {}) {
  return newAction("create", {
    ...{ input: "Input", models: ["Output"] },
    models_json_schema: { definitions: { Input: input, Output: output } },
    ...change,
  });
}

/** What the second upload does to the first, by function. */
async function impactOf(
  before: ReturnType<typeof newSync>,
  after: ReturnType<typeof newSync>,
): Promise<{ effect: string; messages: string[] }> {
  await deployFunctions(ctx, newUpload({ flowConfigs: [before] }));
  const upload = newUpload({ flowConfigs: [after] });
  const { impact = [] } = await planDeployment(ctx, upload, { details: "true" });
  expect(impact).toHaveLength(1);
  const [{ effect, parts } = { effect: "none", parts: [] }] = impact;
  return { effect, messages: parts.map((part) => `${part.effect} ${part.part}: ${part.message}`) };
}

test("a plan says of each function whether callers break, with its connections and runs", async () => {
  await insertTestConnection(ctx, crm, "c1");
  await deployFunctions(
    ctx,
    newUpload({
      flowConfigs: [newSync("gone"), newSync("same"), acting(object({ name: text }), object({}))],
      onEventScriptsByProvider: [newOnEvent("welcome")],
    }),
  );
  const create = await findFunction(ctx, { integration: crm, type: "action", name: "create" });
  const operationId = newOperationId(ctx);
  countRunOf(ctx, { functionId: create?.id ?? 0, operationId, isSuccess: true });
  const upload = newUpload({
    flowConfigs: [
      ...[
        newSync("fresh"),
        newSync("same"),
        acting(object({ name: text, mail: text }), object({})),
      ],
    ],
    onEventScriptsByProvider: [newOnEvent("welcome")],
  });

  const plain = await planDeployment(ctx, upload);
  const { impact } = await planDeployment(ctx, upload, { details: "true" });

  expect(plain).not.toHaveProperty("impact");
  const shared = { providerConfigKey: "crm", connections: 1 };
  const message = "The input: mail is new and required.";
  expect(impact).toEqual([
    {
      ...{ ...shared, type: "action", name: "create", effect: "breaking", runs_24h: 1 },
      ...{ parts: [{ part: "input", effect: "breaking", message }], consumers: [] },
    },
    {
      ...{ ...shared, type: "sync", name: "gone", effect: "removed", runs_24h: 0, parts: [] },
      consumers: [],
    },
    {
      ...{ ...shared, type: "sync", name: "fresh", effect: "new", runs_24h: 0, parts: [] },
      consumers: [],
    },
  ]);
});

async function insertKey(name: string): Promise<string> {
  const keyId = randomUUID();
  await sql`
    insert into api_keys (id, account_id, environment_id, display_name, scopes, lookup_hash, created_at)
    values (${keyId}, ${ctx.environment.accountId}, ${ctx.environment.id}, ${name}, '{}', ${Buffer.from(keyId)}, now())`.execute(
    ctx.db,
  );
  return keyId;
}

function asKey(keyId: string): EnvironmentContext {
  return { ...ctx, actor: { kind: "key", keyId, accountId: "a", scopes: [] } };
}

/** A session of an agent, with only what the count reads of it. */
async function insertSession(toolset: string): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into agent_sessions (id, environment_id, token_hash, toolset_id, toolset, toolset_version, end_user_id, policy,
                                created_at, expires_at)
    values (${id}, ${ctx.environment.id}, ${Buffer.from(id)}, ${randomUUID()}, ${toolset}, 1, 'u', '{}', now(), now())`.execute(
    ctx.db,
  );
  return id;
}

test("a plan names who calls an action and who reads the models of a sync, in the last 30 days", async () => {
  await sql`
    update webhook_settings set primary_url = 'https://hooks.example/secret-path?key=1'
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  await deployFunctions(
    ctx,
    newUpload({ flowConfigs: [newSync("contacts"), acting(object({}), object({}))] }),
  );
  const [backend, old] = [await insertKey("backend"), await insertKey("old")];
  const calls = { integrationId: crm.id, subject: "action", name: "create" } as const;
  const reads = { integrationId: crm.id, subject: "model", name: "Contact" } as const;
  countConsumer(asKey(old), calls);
  await flushConsumers(ctx);
  app.clock.advance(31 * DAY);
  for (let n = 0; n < 3; n += 1) countConsumer(asKey(backend), calls);
  countConsumer(asKey(backend), reads);
  for (const _ of [1, 2]) {
    const sessionId = await insertSession("support");
    countConsumer({ ...ctx, actor: { kind: "agent", sessionId } }, calls);
  }
  countConsumer({ ...ctx, actor: { kind: "system" } }, calls);
  const other = { ...(await app.addEnvironment()), actor: asKey(backend).actor };
  countConsumer(other, calls);

  const { impact = [] } = await planDeployment(
    ctx,
    newUpload({
      flowConfigs: [acting(object({ mail: text }), object({}))],
    }),
    { details: "true" },
  );

  const last_used_at = ctx.clock.now().toISOString();
  const key = { kind: "key", id: backend, name: "backend", last_used_at };
  const consumersOf = (name: string) => impact.find((fn) => fn.name === name)?.consumers;
  expect(consumersOf("create")).toEqual([
    { ...key, uses: 3 },
    { kind: "toolset", id: null, name: "support", uses: 2, last_used_at },
  ]);
  // The sync would be removed.
  expect(consumersOf("contacts")).toEqual([
    { ...key, uses: 1 },
    { kind: "webhook", id: null, name: "https://hooks.example", uses: null, last_used_at: null },
  ]);
  await deleteOldConsumers(app.ctx);
  const { rows } = await sql`
    select 1 from function_consumers where environment_id = ${ctx.environment.id} and consumer = ${old}`.execute(
    ctx.db,
  );
  expect(rows).toEqual([]);
});

test.each([
  ["takes more", object({ a: text }, []), "compatible", "compatible input: The input takes more"],
  ["is required now", object({ a: text, b: text }), "breaking", "breaking input: The input: b is"],
  ["of another type", object({ a: { type: "number" } }, []), "breaking", "no longer takes string"],
])("an input that %s", async (_name, input, effect, message) => {
  const before = acting(object({ a: text, b: text }, ["a"]), object({}));

  const found = await impactOf(before, acting(input, object({})));

  expect(found.effect).toBe(effect);
  expect(found.messages.join()).toContain(message);
});

test.each([
  ["has more", object({ a: text, b: text }), "compatible", "has more properties"],
  ["has lost a property", object({}), "breaking", "a is gone."],
  ["may lack a property", object({ a: text }, []), "breaking", "a may be missing"],
  ["may hold null", object({ a: { anyOf: [text, { type: "null" }] } }), "breaking", "may be null"],
])("a model that %s", async (_name, model, effect, message) => {
  const found = await impactOf(writing(object({ a: text })), writing(model));

  expect(found.effect).toBe(effect);
  expect(found.messages.join()).toContain(message);
});

test("descriptions of schemas change nothing for anybody", async () => {
  const described = object({ a: { ...text, description: "A name" } });

  const found = await impactOf(writing(object({ a: text })), writing(described));

  expect(found).toEqual({ effect: "compatible", messages: [] });
});

test("a sync's schedule, models, webhooks and paths", async () => {
  const before = writing(object({ a: text }), {
    ...{ webhookSubscriptions: ["deal.new", "deal.old"], track_deletes: false },
    endpoints: [{ method: "GET", path: "/contacts" }],
  });
  const after = newSync("contacts", {
    ...{ models: ["Person"], runs: "every hour", track_deletes: true },
    ...{ webhookSubscriptions: ["deal.new"], auto_start: false },
    models_json_schema: { definitions: { Person: object({ a: text }) } },
  });

  const found = await impactOf(before, after);

  expect(found.effect).toBe("breaking");
  expect(found.messages).toEqual([
    "breaking models: It no longer writes the model Contact.",
    "breaking webhooks: It no longer handles webhooks of the type deal.old.",
    "breaking endpoints: It no longer answers GET /contacts.",
    "compatible models: It also writes the model Person.",
    "compatible schedule: It runs every hour, no longer every 5 minutes.",
    "compatible schedule: New connections do not start it, no longer start it at once.",
    "compatible deletes: Records that are gone at the provider are deleted, no longer kept.",
  ]);
});

test("what becomes of records that do not match, and that readers may get them now", async () => {
  const given = (mode?: "quarantine" | "save" | "fail") =>
    writing(object({ a: text }), mode === undefined ? {} : { on_invalid_record: mode });
  const records = "records: Records that do not match their schema are";

  const started = await impactOf(given(), given("quarantine"));
  const opened = await impactOf(given("quarantine"), given("save"));

  expect(started).toEqual({
    effect: "compatible",
    messages: [
      `compatible ${records} quarantined, no longer handled as the settings of the environment say.`,
    ],
  });
  expect(opened).toEqual({
    effect: "breaking",
    messages: [`breaking ${records} saved, no longer quarantined.`],
  });
});

test("scopes that the integration does not ask for break, others ask for a new authorization", async () => {
  const credentials = {
    type: "OAUTH2" as const,
    client_id: "id",
    client_secret: "s",
    scopes: "repo,gist",
  };
  await createIntegration(ctx, {
    ...{ provider: "github", uniqueKey: "code", displayName: undefined, forwardWebhooks: true },
    ...{ credentials, integrationConfig: {}, custom: {}, settings: {} },
  });
  const given = { providerConfigKey: "code" };

  const found = await impactOf(
    newAction("act", given),
    newAction("act", { ...given, metadata: { scopes: ["repo", "admin:org"] } }),
  );

  expect(found.messages).toEqual([
    expect.stringMatching(/^breaking scopes: .*admin:org, which the integration does not ask for/),
    expect.stringMatching(/^compatible scopes: .*repo, which the integration asks for/),
  ]);
});

test("new code alone is compatible, and an effect for agents that grows is not", async () => {
  const first = newAction("act", { agent: { effect: "read" } });
  const { fileBody } = newAction("act", {
    fileBody: { js: `${first.fileBody.js}\n//`, ts: "// 2" },
  });

  expect(await impactOf(first, { ...first, fileBody })).toEqual({
    effect: "compatible",
    messages: ["compatible code: Its code changes."],
  });
  const found = await impactOf(first, newAction("act", { agent: { effect: "write" } }));

  expect(found.messages[0]).toMatch(/^breaking agent: .* write, no longer read\./);
});

test("hundreds of changes are counted, and a schema without end is said to be too large", async () => {
  const many = (type: string) =>
    object(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, { type }])));
  const grow = (depth: number, most: number): Schema =>
    depth === 0
      ? { type: "string", maxLength: most }
      : { anyOf: Array.from({ length: 6 }, () => object({ a: grow(depth - 1, most) })) };

  const counted = await impactOf(writing(many("string")), writing(many("number")));
  const large = await impactOf(writing(grow(5, 1)), writing(grow(5, 2)));

  expect(counted.messages).toHaveLength(50);
  expect(large.messages[0]).toContain("too large to be compared");
  const { rows } =
    await sql`select from functions where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  expect(rows).toHaveLength(1);
});
