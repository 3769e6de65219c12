import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

// Deployments that meet each other, or the end of their process.

const NAMES = Array.from({ length: 20 }, (_, index) => `action-${String(index).padStart(2, "0")}`);

const key = randomUUID();
const cleanUp = new AsyncDisposableStack();
let database: Awaited<ReturnType<typeof createServerDatabase>>;
let platform: PlatformProcess;
let call: Api;
let dataDir = "";
let integration = "";

beforeAll(async () => {
  database = cleanUp.use(await createServerDatabase());
  dataDir = cleanUp.use(await makeDataFolder()).path;
  await start();
  cleanUp.defer(async () => void (await platform.stop()));
});
afterAll(async () => await cleanUp.disposeAsync());

beforeEach(async () => {
  integration = `crm-${randomUUID()}`;
  const body = { provider: "private-api-bearer", unique_key: integration };
  expect((await call("POST", "/integrations", { body })).status).toBe(200);
});

async function start(): Promise<void> {
  const env = { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key };
  platform = await startPlatformProcess({ dataDir, env });
  call = apiOf(platform.url, key);
}

async function deploy(content: string, names: readonly string[] = NAMES, more: object = {}) {
  const flowConfigs = names.map((syncName) => ({
    type: "action",
    syncName,
    providerConfigKey: integration,
    models: [],
    runs: null,
    fileBody: { js: `// ${content}`, ts: content },
  }));
  const body = { reconcile: true, deployMode: "integration", flowConfigs, ...more };
  return await call("POST", "/sync/deploy", { body });
}

/** What each function is made of now. */
async function contents(): Promise<string[]> {
  const { rows } = await database.pool.query(
    `select f.name, b.source from functions f
       join function_bundles b on b.environment_id = f.environment_id and b.sha256 = f.bundle_sha256
       join integrations i on i.id = f.integration_id
      where i.unique_key = $1 and f.deleted_at is null order by f.name`,
    [integration],
  );
  return rows.map((row) => row.source);
}

/** Keeps a deployment from going past one function until it is let go. */
async function holdFunction(name: string): Promise<() => Promise<void>> {
  const holder = await database.pool.connect();
  await holder.query("begin");
  await holder.query(
    `select 1 from functions f join integrations i on i.id = f.integration_id
      where i.unique_key = $1 and f.name = $2 for update of f`,
    [integration, name],
  );
  return async () => {
    await holder.query("rollback");
    holder.release();
  };
}

async function untilDeploymentWaits(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await database.pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%update functions%'",
      );
      expect(rows.length).toBeGreaterThan(0);
    },
    { timeout: 60_000, interval: 20 },
  );
}

test("of two deployments at once one is whole and the other is refused", async () => {
  await deploy("first");
  const letGo = await holdFunction("action-10");

  const slow = deploy("slow");
  await untilDeploymentWaits();
  const refused = await deploy("fast");
  const during = await contents();
  await letGo();

  expect([refused.status, refused.body.error.code]).toEqual([409, "concurrent_deployment"]);
  expect(during).toEqual(NAMES.map(() => "first"));
  expect((await slow).status).toBe(200);
  expect(await contents()).toEqual(NAMES.map(() => "slow"));
});

test("many deployments at once leave the functions of one of them", async () => {
  const answers = await Promise.all(["a", "b", "c", "d", "e", "f"].map((each) => deploy(each)));

  const statuses = answers.map(({ status }) => status);
  const now = await contents();
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(now).toHaveLength(NAMES.length);
  expect(new Set(now).size).toBe(1);
});

test("a deployment of one integration removes nothing of another", async () => {
  await deploy("mine");
  const mine = integration;
  integration = `erp-${randomUUID()}`;
  const body = { provider: "private-api-bearer", unique_key: integration };
  await call("POST", "/integrations", { body });

  await deploy("theirs", NAMES.slice(0, 3));
  await deploy("theirs", NAMES.slice(0, 1));

  expect(await contents()).toEqual(["theirs"]);
  integration = mine;
  expect(await contents()).toEqual(NAMES.map(() => "mine"));
});

test("a process that is killed in the middle leaves what was there, and the next deployment continues", async () => {
  await deploy("before");
  const letGo = await holdFunction("action-10");
  const cutOff = deploy("never").catch(() => "cut off");
  await untilDeploymentWaits();

  await platform.kill();
  await letGo();

  expect(await cutOff).toBe("cut off");
  expect(await contents()).toEqual(NAMES.map(() => "before"));
  await start();
  const answer = await vi.waitFor(
    async () => {
      // Postgres notices the dead connection a moment after.
      const again = await deploy("after");
      expect(again.status).toBe(200);
      return again;
    },
    { timeout: 10_000, interval: 100 },
  );
  expect(answer.body).toHaveLength(NAMES.length);
  expect(await contents()).toEqual(NAMES.map(() => "after"));
});
