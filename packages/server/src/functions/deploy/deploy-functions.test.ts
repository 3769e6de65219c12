import type { Deployment } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError, type EnvironmentContext, MINUTE, on } from "#foundation";
import { withTransaction } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions, flushLogs } from "#logs";
import { findFunction, getFunctionById, listFunctions } from "../get-function.ts";
import { type FunctionsDeployed, functionsDeployed } from "../hooks.ts";
import { tryLockDeployment } from "../store.ts";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newOnEvent,
  newSync,
  newUpload,
} from "../testing/index.ts";
import { deleteFunctionsOf } from "./delete-functions-of.ts";
import { deployFunctions } from "./deploy-functions.ts";
import { planDeployment } from "./plan-deployment.ts";

let app: TestContext;
let ctx: EnvironmentContext;
let crm: { id: number };
let erp: { id: number };
let reported: FunctionsDeployed[] = [];
let failure: Error | undefined;

beforeAll(async () => {
  app = await createTestContext({
    hooks: [
      on(functionsDeployed, async (_ctx, event) => {
        if (failure !== undefined) throw failure;
        reported.push(event);
      }),
    ],
  });
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

beforeEach(async () => {
  ctx = await app.addEnvironment();
  crm = await insertTestIntegration(ctx, "crm");
  erp = await insertTestIntegration(ctx, "erp");
  reported = [];
  failure = undefined;
});

async function refusal(upload: Deployment): Promise<AppError> {
  const error = await deployFunctions(ctx, upload).catch((thrown: unknown) => thrown);
  if (error instanceof AppError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

async function readDeployed(): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select i.unique_key || ' ' || f.type || ' ' || f.name || ' ' || f.version as text
      from functions f join integrations i on i.id = f.integration_id
     where f.environment_id = ${ctx.environment.id} and f.deleted_at is null
     order by 1`.execute(ctx.db);
  return rows.map(({ text }) => text);
}

test("a first deployment puts every function in place and tells of it", async () => {
  const upload = newUpload({
    flowConfigs: [newSync("contacts", { input: "Contact" }), newAction("create-contact")],
    onEventScriptsByProvider: [newOnEvent("welcome")],
  });

  const results = await deployFunctions(ctx, upload);

  expect(await readDeployed()).toEqual([
    "crm action create-contact 1",
    "crm on-event welcome 0.0.1",
    "crm sync contacts 1",
  ]);
  expect(results.map(({ fn }) => fn.name)).toEqual(["contacts", "create-contact", "welcome"]);
  expect(reported).toEqual([{ deployed: results.map(({ fn }) => fn), removed: [] }]);
  const sync = await findFunction(ctx, { integration: crm, type: "sync", name: "contacts" });
  expect(sync).toMatchObject({
    enabled: true,
    definition: {
      frequency: "every 5 minutes",
      models: ["Contact"],
      autoStart: true,
      syncType: "full",
      metadataModel: "Contact",
    },
  });
});

test("only what has changed gets a new version, the next number unless one is given", async () => {
  const first = newUpload({
    flowConfigs: [newSync("same"), newSync("code"), newSync("frequency"), newSync("given")],
    onEventScriptsByProvider: [newOnEvent("welcome")],
  });
  const before = await deployFunctions(ctx, first);
  app.clock.advance(MINUTE);
  const welcome = newOnEvent("welcome").scripts.map((script) => ({
    ...script,
    fileBody: newBundle("on-event", "await 1;"),
  }));

  const after = await deployFunctions(
    ctx,
    newUpload({
      flowConfigs: [
        newSync("same"),
        newSync("code", { fileBody: newBundle("sync", "await 1;") }),
        newSync("frequency", { runs: "every 10 minutes" }),
        newSync("given", { version: "2.0.0-beta" }),
      ],
      onEventScriptsByProvider: [{ providerConfigKey: "crm", scripts: welcome }],
    }),
  );

  expect(after.map(({ fn }) => fn.version)).toEqual(["1", "2", "2", "2.0.0-beta", "0.0.2"]);
  expect(after.map(({ fn }) => fn.id)).toEqual(before.map(({ fn }) => fn.id));
  expect(after[0]?.fn.deployedAt).toEqual(before[0]?.fn.deployedAt);
  expect(after[1]?.fn.deployedAt).toEqual(app.clock.now());
});

test("a disabled function stays disabled", async () => {
  const [first] = await deployFunctions(ctx, newUpload({ flowConfigs: [newSync("contacts")] }));
  await sql`update functions set enabled = false where id = ${first?.fn.id}`.execute(ctx.db);

  const changed = newSync("contacts", { runs: "every hour" });
  const [second] = await deployFunctions(ctx, newUpload({ flowConfigs: [changed] }));

  expect(second?.fn).toMatchObject({ id: first?.fn.id, enabled: false, version: "2" });
});

test.for([
  ["all", true, ["crm sync new 1"]],
  ["integration", true, ["crm sync new 1", "erp on-event hello 0.0.1", "erp sync orders 1"]],
  [
    "single",
    true,
    [
      "crm action create-contact 1",
      "crm on-event welcome 0.0.1",
      "crm sync contacts 1",
      "crm sync new 1",
      "erp on-event hello 0.0.1",
      "erp sync orders 1",
    ],
  ],
  [
    "all",
    false,
    [
      "crm action create-contact 1",
      "crm on-event welcome 0.0.1",
      "crm sync contacts 1",
      "crm sync new 1",
      "erp on-event hello 0.0.1",
      "erp sync orders 1",
    ],
  ],
] as const)("deployMode %s with reconcile %s removes within its scope only", async (row) => {
  const [deployMode, reconcile, left] = row;
  await deployFunctions(
    ctx,
    newUpload({
      flowConfigs: [
        newSync("contacts"),
        newAction("create-contact"),
        newSync("orders", { providerConfigKey: "erp" }),
      ],
      onEventScriptsByProvider: [newOnEvent("welcome"), newOnEvent("hello", "erp")],
    }),
  );

  await deployFunctions(ctx, newUpload({ flowConfigs: [newSync("new")], deployMode, reconcile }));

  expect(await readDeployed()).toEqual(left);
  expect(reported[1]?.removed).toHaveLength(6 - left.length);
});

test("a removed function is found by its id only, and comes back as a new one", async () => {
  const [first] = await deployFunctions(ctx, newUpload({ flowConfigs: [newAction("act")] }));
  const id = first?.fn.id ?? 0;
  await deployFunctions(ctx, newUpload({ reconcile: true }));

  expect(
    await findFunction(ctx, { integration: crm, type: "action", name: "act" }),
  ).toBeUndefined();
  expect((await getFunctionById(ctx, id)).name).toBe("act");
  const [again] = await deployFunctions(ctx, newUpload({ flowConfigs: [newAction("act")] }));
  expect(again?.fn.id).not.toBe(id);
});

test("a deployment that fails half-way leaves nothing but its operation", async () => {
  failure = new Error("no schedule");

  await expect(
    deployFunctions(ctx, newUpload({ flowConfigs: [newSync("contacts")] })),
  ).rejects.toThrow("no schedule");

  expect(await readDeployed()).toEqual([]);
  const bundles = await sql`select 1 from function_bundles
    where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  expect(bundles.rows).toEqual([]);
  await flushLogs(ctx);
  const operations = await sql<{ type: string; state: string; error: unknown }>`
    select type, state, error from operations where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  expect(operations.rows).toEqual([
    { type: "deploy", state: "failed", error: expect.objectContaining({ type: "server_error" }) },
  ]);
});

test("a second deployment at the same time is refused, in this environment only", async () => {
  const other = await app.addEnvironment();
  await insertTestIntegration(other, "crm");
  const upload = newUpload({ flowConfigs: [newSync("contacts")] });

  await withTransaction(ctx, async (holder) => {
    expect(await tryLockDeployment(holder.db, ctx.environment.id)).toBe(true);
    expect((await refusal(upload)).code).toBe("concurrent_deployment");
    expect(await deployFunctions(other, upload)).toHaveLength(1);
  });

  expect(await deployFunctions(ctx, upload)).toHaveLength(1);
});

test.for([
  [
    "a name that is there twice",
    { flowConfigs: [newSync("a"), newSync("a")] },
    "invalid_body",
    /"a"/,
  ],
  [
    "an unknown integration",
    { flowConfigs: [newSync("a", { providerConfigKey: "nope" })] },
    "unknown_provider_config",
    /nope/,
  ],
  [
    "a model without schema",
    { flowConfigs: [newSync("a", { models: ["Contact", "Deal"] })] },
    "deploy_missing_json_schema_model",
    /Deal/,
  ],
  [
    "an input without schema",
    { flowConfigs: [newAction("a", { input: "ActionInput_crm_a" })] },
    "deploy_missing_json_schema_model",
    /ActionInput_crm_a/,
  ],
  ["no frequency", { flowConfigs: [newSync("a", { runs: null })] }, "invalid_body", /frequency/],
  [
    "no such frequency",
    { flowConfigs: [newSync("a", { runs: "often" })] },
    "invalid_body",
    /often/,
  ],
  [
    "10 s",
    { flowConfigs: [newSync("a", { runs: "every 10 seconds" })] },
    "invalid_body",
    /30 seconds/,
  ],
  [
    "a model in small letters",
    {
      flowConfigs: [
        newSync("a", { models: ["deal"], models_json_schema: { definitions: { deal: {} } } }),
      ],
    },
    "invalid_body",
    /capital/,
  ],
  [
    "a NUL",
    { flowConfigs: [newAction("a", { metadata: { description: "\0" } })] },
    "invalid_body",
    /NUL/,
  ],
] as const)("refuses %s, in a plan as well", async ([, upload, code, message]) => {
  const wanted = newUpload({ ...upload, flowConfigs: [...upload.flowConfigs] });

  const error = await refusal(wanted);

  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(planDeployment(ctx, wanted)).rejects.toMatchObject({ code });
  expect(await readDeployed()).toEqual([]);
});

test("properties stay in the order in which the author declared them", async () => {
  const properties = {
    zebra: { type: "string" },
    id: { type: "string" },
    apple: { type: "number" },
  };
  const upload = newUpload({
    flowConfigs: [
      newSync("ordered", {
        models_json_schema: { definitions: { Contact: { type: "object", properties } } },
      }),
    ],
  });

  await deployFunctions(ctx, upload);
  const again = await deployFunctions(ctx, upload);
  const [found] = await listFunctions(ctx, { integration: crm, type: "sync" });

  const { properties: kept } = Object(found?.definition.jsonSchema["Contact"]);
  expect(Object.keys(kept)).toEqual(["zebra", "id", "apple"]);
  expect(found?.definition).not.toHaveProperty("jsonSchemaText");
  expect(again[0]?.fn.version).toBe("1");
});

test("a plan tells what the deployment then does, and writes nothing", async () => {
  await insertTestConnection(ctx, crm, "c1");
  await insertTestConnection(ctx, crm, "c2");
  await deployFunctions(
    ctx,
    newUpload({
      flowConfigs: [
        newSync("same"),
        newSync("changed"),
        newSync("gone", {
          models: ["Deal"],
          models_json_schema: { definitions: { Deal: {} } },
        }),
        newAction("orders", { providerConfigKey: "erp" }),
      ],
      onEventScriptsByProvider: [newOnEvent("welcome")],
    }),
  );
  const before = await readDeployed();
  const upload = newUpload({
    reconcile: true,
    flowConfigs: [newSync("same"), newSync("changed", { runs: "every hour" }), newAction("new")],
  });

  const plan = await planDeployment(ctx, upload);

  const inCrm = (name: string) => [{ name, providerConfigKey: "crm", connections: 2 }];
  expect(plan).toEqual({
    newSyncs: [],
    updatedSyncs: inCrm("changed"),
    deletedSyncs: inCrm("gone"),
    newActions: inCrm("new"),
    updatedActions: [],
    deletedActions: [{ name: "orders", providerConfigKey: "erp", connections: 0 }],
    newOnEventScripts: [],
    updatedOnEventScripts: [],
    deletedOnEventScripts: inCrm("welcome"),
    deletedModels: ["Deal"],
  });
  expect(await readDeployed()).toEqual(before);
  await deployFunctions(ctx, upload);
  expect(await readDeployed()).toEqual([
    "crm action new 1",
    "crm sync changed 2",
    "crm sync same 1",
  ]);
});

test("functions of another environment are not seen", async () => {
  const [mine] = await deployFunctions(ctx, newUpload({ flowConfigs: [newAction("act")] }));
  const other = await app.addEnvironment();

  const wanted = { integration: crm, type: "action", name: "act" } as const;
  expect(await findFunction(other, wanted)).toBeUndefined();
  expect(await listFunctions(other, { integration: crm, type: "action" })).toEqual([]);
  await expect(getFunctionById(other, mine?.fn.id ?? 0)).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await listFunctions(ctx, { integration: crm, type: "action" })).toEqual([mine?.fn]);
});

test("the functions of an integration go with it", async () => {
  await deployFunctions(
    ctx,
    newUpload({
      flowConfigs: [newSync("contacts"), newSync("orders", { providerConfigKey: "erp" })],
    }),
  );

  await deleteFunctionsOf(ctx, crm);

  expect(await readDeployed()).toEqual(["erp sync orders 1"]);
  expect(reported[1]?.removed.map(({ name }) => name)).toEqual(["contacts"]);
  expect(erp.id).not.toBe(crm.id);
});
