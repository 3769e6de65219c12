import type { StagedFunctionsPart } from "@jackfield/contract";
import { stagedDeploymentRoutes } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError, type EnvironmentContext, HOUR, on } from "#foundation";
import { Patience, withPatience } from "#foundation/db";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { deployFunctions } from "./deploy/deploy-functions.ts";
import { hashBundle } from "./hashing/hash-bundle.ts";
import { functionsDeployed } from "./hooks.ts";
import { loadBundle } from "./run/load-bundle.ts";
import { commitStaged, planStaged } from "./staging/commit.ts";
import {
  deleteExpiredStages,
  stageBundles,
  stageDeployment,
  stageFunctions,
} from "./staging/stage.ts";
import { insertTestIntegration, newAction, newSync, newUpload } from "./testing/index.ts";

let app: TestContext;
let ctx: EnvironmentContext;
const all = { reconcile: true, deployMode: "all", source: "repo" } as const;

beforeAll(async () => {
  app = await createTestContext({
    hooks: [on(functionsDeployed, async () => {})],
  });
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());
beforeEach(async () => {
  ctx = await app.addEnvironment();
  await insertTestIntegration(ctx, "crm");
});

const bundleOf = (name: string) => ({ js: `module.exports = "${name}";`, ts: `// ${name}` });

function hashOf(name: string): string {
  const { js, ts } = bundleOf(name);
  return hashBundle({ code: js, source: ts, sourceMap: undefined }).toString("hex");
}

function partOf(names: readonly string[]): StagedFunctionsPart {
  const flowConfigs = names.map((name) => {
    const { fileBody: _, ...flow } = newAction(name);
    return { ...flow, bundle: hashOf(name) };
  });
  return stagedDeploymentRoutes.stageFunctions.body.parse({ flowConfigs });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof AppError ? error.code : `no refusal: ${JSON.stringify(error)}`;
}

async function listDeployed(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from functions
    where environment_id = ${ctx.environment.id} and deleted_at is null order by name`.execute(
    ctx.db,
  );
  return rows.map(({ name }) => name);
}

/** Each statement that writes bundles takes longer than a request of the tests waits for the database in all. */
async function withSlowDisk(work: () => Promise<void>): Promise<void> {
  const tables = ["function_bundles", "staged_bundles"];
  await sql`create function write_slowly() returns trigger language plpgsql
    as $$ begin perform pg_sleep(0.6); return null; end $$`.execute(ctx.db);
  for (const table of tables) {
    await sql`create trigger slow before insert on ${sql.table(table)}
      for each statement execute function write_slowly()`.execute(ctx.db);
  }
  try {
    await work();
  } finally {
    await sql`drop function write_slowly cascade`.execute(ctx.db);
  }
}

async function inRequest<Result>(work: () => Promise<Result>): Promise<Result> {
  return await withPatience(new Patience(400), work);
}

test("a disk that takes longer than a request waits for the database makes a deployment slow, and refuses none", async () => {
  await withSlowDisk(async () => {
    await inRequest(
      async () => await deployFunctions(ctx, newUpload({ flowConfigs: [newAction("large")] })),
    );
    const { id } = await inRequest(async () => await stageDeployment(ctx, all));
    await inRequest(async () => await stageFunctions(ctx, id, partOf(["a", "b"])));
    await inRequest(async () => await stageBundles(ctx, id, [bundleOf("a"), bundleOf("b")]));
    await inRequest(async () => await commitStaged(ctx, id));
  });

  expect(await listDeployed()).toEqual(["a", "b"]);
});

test("parts of a deployment are one: nothing is deployed before the commit, then all of it is", async () => {
  await deployFunctions(ctx, newUpload({ flowConfigs: [newSync("old")], reconcile: true }));
  const { id } = await stageDeployment(ctx, all);

  expect(await stageFunctions(ctx, id, partOf(["a", "b"]))).toEqual(
    expect.arrayContaining([hashOf("a"), hashOf("b")]),
  );
  await stageBundles(ctx, id, [bundleOf("a")]);
  await stageFunctions(ctx, id, partOf(["c"]));
  expect(await codeOf(commitStaged(ctx, id))).toBe("staged_deployment_incomplete");
  expect(await stageBundles(ctx, id, [bundleOf("b"), bundleOf("c")])).toEqual([
    hashOf("b"),
    hashOf("c"),
  ]);
  expect(await planStaged(ctx, id)).toMatchObject({
    newActions: [{ name: "a" }, { name: "b" }, { name: "c" }],
    deletedSyncs: [{ name: "old" }],
    deletedModels: ["Contact"],
  });
  expect(await listDeployed()).toEqual(["old"]);

  const results = await commitStaged(ctx, id);

  expect(results.map(({ fn }) => [fn.name, fn.version])).toEqual([
    ["a", "1"],
    ["b", "1"],
    ["c", "1"],
  ]);
  expect(await listDeployed()).toEqual(["a", "b", "c"]);
  const codes = await Promise.all(results.map(async ({ fn }) => (await loadBundle(ctx, fn)).code));
  expect(codes).toEqual(["a", "b", "c"].map((name) => bundleOf(name).js));
  expect(await codeOf(commitStaged(ctx, id))).toBe("staged_deployment_not_found");
});

test("bundles that are here are not asked for again, and an unchanged function keeps its version", async () => {
  const first = await stageDeployment(ctx, all);
  await stageFunctions(ctx, first.id, partOf(["a", "b"]));
  await stageBundles(ctx, first.id, [bundleOf("a"), bundleOf("b")]);
  await commitStaged(ctx, first.id);
  const second = await stageDeployment(ctx, all);

  expect(await stageFunctions(ctx, second.id, partOf(["a", "b", "c"]))).toEqual([hashOf("c")]);
  await stageBundles(ctx, second.id, [bundleOf("c")]);
  const results = await commitStaged(ctx, second.id);

  expect(results.map(({ fn }) => fn.version)).toEqual(["1", "1", "1"]);
});

test("another environment neither reaches what is staged nor has its bundles", async () => {
  const { id } = await stageDeployment(ctx, all);
  await stageFunctions(ctx, id, partOf(["a"]));
  await stageBundles(ctx, id, [bundleOf("a")]);
  const other = await app.addEnvironment();
  await insertTestIntegration(other, "crm");
  const own = await stageDeployment(other, all);

  expect(await codeOf(stageFunctions(other, id, partOf(["b"])))).toBe(
    "staged_deployment_not_found",
  );
  expect(await codeOf(stageBundles(other, id, [bundleOf("b")]))).toBe(
    "staged_deployment_not_found",
  );
  expect(await codeOf(planStaged(other, id))).toBe("staged_deployment_not_found");
  expect(await codeOf(commitStaged(other, id))).toBe("staged_deployment_not_found");
  expect(await stageFunctions(other, own.id, partOf(["a"]))).toEqual([hashOf("a")]);
});

test("a fault of a function is reported when it is staged, and nothing of its part stays", async () => {
  const { id } = await stageDeployment(ctx, all);
  const [good] = partOf(["a"]).flowConfigs;
  if (good === undefined) throw new Error("no function");
  const wrong = { ...good, syncName: "b", models: ["Missing"] };
  const foreign = { ...good, providerConfigKey: "unknown" };
  const stage = async (...flowConfigs: (typeof good)[]) =>
    await codeOf(stageFunctions(ctx, id, { flowConfigs, onEventScriptsByProvider: [] }));

  expect(await stage(good, wrong)).toBe("deploy_missing_json_schema_model");
  expect(await stage(good, good)).toBe("invalid_body");
  expect(await stage(good, foreign)).toBe("unknown_provider_config");
  expect(await codeOf(stageBundles(ctx, id, [{ js: "\0", ts: "" }]))).toBe("invalid_body");
  expect(await codeOf(stageBundles(ctx, id, [{ js: 'require("fs");', ts: "" }]))).toBe(
    "invalid_body",
  );
  expect(await planStaged(ctx, id)).toMatchObject({ newActions: [] });
});

test("one that is never committed expires, and an environment has only the newest ones", async () => {
  const [oldest] = [await stageDeployment(ctx, all)];
  for (let n = 0; n < 4; n += 1) {
    app.clock.advance(1000);
    await stageDeployment(ctx, all);
  }
  const { id } = await stageDeployment(ctx, all);
  await stageFunctions(ctx, id, partOf(["a"]));
  await stageBundles(ctx, id, [bundleOf("a")]);

  expect(await codeOf(planStaged(ctx, oldest.id))).toBe("staged_deployment_not_found");
  app.clock.advance(HOUR);
  expect(await codeOf(commitStaged(ctx, id))).toBe("staged_deployment_not_found");
  await deleteExpiredStages(app.ctx);
  const { rows } =
    await sql`select 1 from staged_deployments where environment_id = ${ctx.environment.id}
    union all select 1 from staged_functions where environment_id = ${ctx.environment.id}
    union all select 1 from staged_bundles where environment_id = ${ctx.environment.id}`.execute(
      ctx.db,
    );
  expect(rows).toEqual([]);
});

test("a staged deployment has a limit of functions", async () => {
  const { id } = await stageDeployment(ctx, all);
  await sql`update staged_deployments set functions = 49999 where id = ${id}`.execute(ctx.db);

  expect(await codeOf(stageFunctions(ctx, id, partOf(["a", "b"])))).toBe("request_too_large");
  expect(await stageFunctions(ctx, id, partOf(["a"]))).toEqual([hashOf("a")]);
});
