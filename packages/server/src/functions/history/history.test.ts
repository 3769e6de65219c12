import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  MINUTE,
  newTimeId,
  type OperationId,
} from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { deployFunctions } from "../deploy/deploy-functions.ts";
import { countRunOf, deleteOldRunCounts } from "../run-counts/count-run.ts";
import {
  insertTestIntegration,
  newAction,
  newBundle,
  newSync,
  newUpload,
} from "../testing/index.ts";
import { readRevision } from "./deployment.ts";
import { pruneFunctionVersions } from "./prune-versions.ts";
import { functionHistoryHandlers } from "./routes.ts";
import { pruneVersions } from "./store.ts";

let app: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  app = await createTestContext();
  await ensureLogPartitions(app.ctx);
});
afterAll(async () => await app[Symbol.asyncDispose]());

beforeEach(async () => {
  const added = await app.addEnvironment();
  const actor = { kind: "key", keyId: "k1", keyName: "ci", accountId: "a", scopes: [] } as const;
  ctx = { ...added, actor };
  await insertTestIntegration(ctx, "crm");
});

/** Deploys functions whose code is this; those that are not named go. */
async function deploy(functions: Readonly<Record<string, string>>): Promise<void> {
  app.clock.advance(MINUTE);
  const flowConfigs = Object.entries(functions).map(([name, body]) =>
    newAction(name, { fileBody: newBundle("action", body) }),
  );
  await deployFunctions(ctx, newUpload({ flowConfigs, reconcile: true }));
}

const none = { headers: undefined, body: undefined };

async function deployments(
  of: EnvironmentContext = ctx,
  query: { limit?: number; cursor?: string } = {},
) {
  return await functionHistoryHandlers.listPastDeployments(of, {
    ...none,
    params: undefined,
    query,
  });
}

async function rollBack(id = "", of: EnvironmentContext = ctx) {
  app.clock.advance(MINUTE);
  const given = { ...none, query: undefined, params: { id } };
  return await functionHistoryHandlers.rollBackDeployment(of, given);
}

async function listed() {
  const given = { ...none, params: undefined, query: {} };
  return await functionHistoryHandlers.listEnvironmentFunctions(ctx, given);
}

async function versionsOf(name: string) {
  const params = { uniqueKey: "crm", name };
  return (await functionHistoryHandlers.listFunctionVersions(ctx, { ...none, params, query: {} }))
    .data;
}

async function codeOf(name: string, version: number) {
  const params = { uniqueKey: "crm", name, version: String(version) };
  return await functionHistoryHandlers.getFunctionVersionCode(ctx, { ...none, params, query: {} });
}

/** What is deployed now, by the code of each. */
async function deployedNow(): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; source: string }>`
    select f.name, b.source from functions f
      join function_bundles b on b.environment_id = f.environment_id and b.sha256 = f.bundle_sha256
     where f.environment_id = ${ctx.environment.id} and f.deleted_at is null order by f.name`.execute(
    ctx.db,
  );
  return Object.fromEntries(rows.map(({ name, source }) => [name, source.slice(3)]));
}

test("a deployment is listed with its actor, its way and what it changed", async () => {
  await deploy({ a: "1", b: "1" });
  await deploy({ a: "2", c: "1" });
  const broken = newUpload({ flowConfigs: [newSync("s", { runs: null })] });
  app.clock.advance(MINUTE);
  await expect(deployFunctions(ctx, broken)).rejects.toThrow("no frequency");

  const first = await deployments(ctx, { limit: 2 });
  const second = await deployments(ctx, { limit: 2, cursor: first.next_cursor ?? "" });

  expect(first.data).toMatchObject([
    { way: "upload", state: "failed", error: { message: expect.stringContaining("no frequency") } },
    {
      way: "upload",
      state: "success",
      actor: { type: "key", id: "k1", name: "ci" },
      error: null,
      operation_id: expect.any(String),
      plan: {
        created: 1,
        updated: 1,
        removed: 1,
        unchanged: 0,
        changes: [
          { provider_config_key: "crm", type: "action", name: "a", change: "updated" },
          { name: "c", change: "new" },
          { name: "b", change: "removed" },
        ],
      },
    },
  ]);
  expect(second.data).toMatchObject([{ plan: { created: 2 } }]);
  expect(second.next_cursor).toBeNull();
});

test("a deployment keeps the name of the person who made it", async () => {
  const person = { userId: "u1", userName: "Ada", sessionId: "s1", elevatedUntil: undefined };
  const { accountId } = ctx.environment;
  const actor = { kind: "user", ...person, accountId, scopes: ["environment:*"] } as const;
  await deployFunctions({ ...ctx, actor }, newUpload({ flowConfigs: [newSync("s")] }));

  const { data } = await deployments();

  expect(data).toMatchObject([{ actor: { type: "user", id: "u1", name: "Ada" } }]);
});

test("earlier versions of a function have their code", async () => {
  await deploy({ a: "1" });
  await deploy({ a: "2" });
  await deploy({ a: "2" });

  const versions = await versionsOf("a");

  expect(versions).toMatchObject([
    { version: "2", current: true, deployment_id: expect.any(String), source: "repo" },
    { version: "1", current: false },
  ]);
  expect(await codeOf("a", versions[1]?.id ?? 0)).toEqual({
    type: "action",
    version: "1",
    code: "// 1",
  });
  await expect(codeOf("a", 1)).rejects.toMatchObject({ code: "not_found" });
});

test("a rollback takes back what was new, changed and removed, and can be rolled back itself", async () => {
  await deploy({ a: "1", b: "1", same: "1" });
  const before = await deployedNow();
  await deploy({ a: "2", c: "1", same: "1" });
  const after = await deployedNow();
  const [last] = (await deployments()).data;

  const { data } = await rollBack(last?.id);
  const restored = await deployedNow();
  await rollBack(data.id);

  expect(data).toMatchObject({
    way: "rollback",
    rollback_of: last?.id,
    plan: { created: 1, updated: 1, removed: 1 },
  });
  expect(restored).toEqual(before);
  expect(await deployedNow()).toEqual(after);
  expect((await versionsOf("a")).map(({ version }) => version)).toEqual(["2", "1", "2", "1"]);
});

test("a function that was deployed before versions were kept can be put back", async () => {
  await deploy({ a: "1" });
  await sql`delete from function_versions where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
  await deploy({ a: "2" });
  const [last] = (await deployments()).data;

  await rollBack(last?.id);

  expect(await deployedNow()).toEqual({ a: "1" });
});

test("a deployment whose functions were changed since, or that failed, is not rolled back", async () => {
  await deploy({ a: "1" });
  await deploy({ a: "2" });
  await deploy({ a: "3" });
  const [, second] = (await deployments()).data;
  const refused = { code: "rollback_not_possible" };

  await expect(rollBack(second?.id)).rejects.toMatchObject(refused);
  expect(await deployedNow()).toEqual({ a: "3" });
  const [failed] = (await deployments()).data;
  expect(failed).toMatchObject({ way: "rollback", state: "failed" });
  await expect(rollBack(failed?.id)).rejects.toMatchObject(refused);
});

test("another environment has no deployments, functions or versions of this one", async () => {
  await deploy({ a: "1" });
  const [made] = (await deployments()).data;
  const other = { ...(await app.addEnvironment()), actor: ctx.actor };

  expect((await deployments(other)).data).toEqual([]);
  await expect(rollBack(made?.id, other)).rejects.toMatchObject({ code: "deployment_not_found" });
});

async function countVersions(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from function_versions
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

test("the last twenty versions are listed, and stored once others are a week old", async () => {
  for (let n = 1; n <= 22; n += 1) await deploy({ a: String(n) });
  const versions = await versionsOf("a");
  const stored = await countVersions();
  app.clock.advance(8 * DAY);
  await deploy({ a: "23" });

  expect(versions).toHaveLength(20);
  expect(versions[0]).toMatchObject({ version: "22", current: true });
  expect([stored, await countVersions()]).toEqual([22, 20]);
});

test("a version can be restored for a week after it was replaced, however many came since", async () => {
  for (let n = 1; n <= 25; n += 1) await deploy({ a: String(n) });
  app.clock.advance(6 * DAY);
  await pruneFunctionVersions(app.ctx);

  for (let n = 25; n > 1; n -= 1) {
    const { data } = await deployments(ctx, { limit: 100 });
    const undone = data.filter(({ way }) => way === "upload")[25 - n];
    await rollBack(undone?.id);
  }

  expect(await deployedNow()).toEqual({ a: "1" });
});

test("bundles that nothing names any more are removed, others stay", async () => {
  await deploy({ a: "1" });
  await deploy({ a: "2" });
  await deploy({ a: "3" });
  await sql`
    delete from function_versions where environment_id = ${ctx.environment.id} and version = '1'`.execute(
    ctx.db,
  );

  await pruneVersions(ctx.db, ctx.environment.id, ctx.clock.now());

  const { rows } = await sql<{ source: string }>`
    select source from function_bundles where environment_id = ${ctx.environment.id} order by source`.execute(
    ctx.db,
  );
  expect(rows.map(({ source }) => source)).toEqual(["// 2", "// 3"]);
});

test("functions of all integrations are listed with how they ran lately", async () => {
  await insertTestIntegration(ctx, "erp");
  await deploy({ a: "1" });
  app.clock.advance(MINUTE);
  const erp = newAction("other", { providerConfigKey: "erp" });
  await deployFunctions(ctx, newUpload({ flowConfigs: [erp] }));
  const [, a] = (await listed()).data;
  const operationId = newTimeId<OperationId>(ctx.clock.now());
  const ended = { functionId: a?.id ?? 0, operationId };
  const late = { ...ctx, clock: { now: () => addMs(ctx.clock.now(), -30 * HOUR) } };
  countRunOf({ ...ctx, ...late }, { ...ended, isSuccess: false });
  countRunOf(ctx, { ...ended, isSuccess: true });
  countRunOf(ctx, { ...ended, isSuccess: false });

  const { data } = await listed();

  expect(data).toMatchObject([
    { name: "other", provider_config_key: "erp", runs_24h: 0, failures_24h: 0, last_run: null },
    {
      name: "a",
      provider_config_key: "crm",
      runs_24h: 2,
      failures_24h: 1,
      last_run: { at: ctx.clock.now().toISOString(), succeeded: false, operation_id: operationId },
    },
  ]);
  app.clock.advance(72 * HOUR);
  await deleteOldRunCounts(app.ctx);
  expect((await listed()).data[1]).toMatchObject({ runs_24h: 0, last_run: { succeeded: false } });
});

test("the list of functions is filtered, and read page by page", async () => {
  await deploy({ one: "1", two: "1", three: "1" });

  const names = async (
    query: Parameters<typeof functionHistoryHandlers.listEnvironmentFunctions>[1]["query"],
  ) => {
    const page = await functionHistoryHandlers.listEnvironmentFunctions(ctx, {
      ...none,
      params: undefined,
      query,
    });
    return { names: page.data.map(({ name }) => name), cursor: page.next_cursor ?? "" };
  };
  const first = await names({ limit: 2 });
  const second = await names({ limit: 2, cursor: first.cursor });

  expect([...first.names, ...second.names].toSorted()).toEqual(["one", "three", "two"]);
  expect((await names({ search: "TW" })).names).toEqual(["two"]);
  expect((await names({ type: "sync" })).names).toEqual([]);
  expect((await names({ provider_config_key: "crm" })).names).toHaveLength(3);
});

test("a deployment says of which commit and branch it was made, also one that failed", async () => {
  const revision = readRevision({ "svc-commit": "abc123", "svc-branch": "fix%2Fgr%C3%B6%C3%9Fe" });
  const fileBody = newBundle("action", "return 1;");
  const upload = newUpload({ flowConfigs: [newAction("a", { fileBody })] });
  const lost = newUpload({ flowConfigs: [newAction("a", { providerConfigKey: "no", fileBody })] });

  await deployFunctions(ctx, upload, undefined, revision);
  app.clock.advance(MINUTE);
  await expect(deployFunctions(ctx, lost, undefined, revision)).rejects.toThrow();
  app.clock.advance(MINUTE);
  await deployFunctions(ctx, upload, undefined, readRevision({ "svc-branch": "100%" }));

  const { data } = await deployments();
  expect(data).toMatchObject([
    { state: "success", commit: null, branch: "100%" },
    { state: "failed", commit: "abc123", branch: "fix/größe" },
    { state: "success", commit: "abc123", branch: "fix/größe" },
  ]);
});
