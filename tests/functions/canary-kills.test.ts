import { createHash, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { failingServerArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, spawnPlatform } from "../launcher/platform-process.ts";

// A canary whose processes die by kill -9, at each step of it, next to a process that stays.

const key = randomUUID();
const cleanUp = new AsyncDisposableStack();
let database: Awaited<ReturnType<typeof createServerDatabase>>;
let folder = "";
let api: Api;

beforeAll(async () => {
  database = cleanUp.use(await createServerDatabase());
  folder = cleanUp.use(await makeDataFolder()).path;
  ({ api } = await start("api"));
  const [first] = started.splice(0);
  cleanUp.defer(async () => await first?.kill());
  await api("POST", "/integrations", {
    body: { provider: "private-api-bearer", unique_key: "crm" },
  });
  for (const id of ["chosen", "other"]) {
    const credentials = { type: "API_KEY", apiKey: "not a secret" };
    const body = { provider_config_key: "crm", connection_id: id, credentials };
    expect((await api("POST", "/connections", { body })).status).toBe(201);
  }
  const flowConfigs = [syncOf(good), actionOf("return 'old';")];
  const deployed = await api("POST", "/sync/deploy", { body: { reconcile: true, flowConfigs } });
  expect(deployed.status).toBe(200);
}, 180_000);
afterAll(async () => await cleanUp.disposeAsync());

const patience = { timeout: 120_000, interval: 100 };

/** A process that a failed test leaves would do the work of the next one's. */
const started: PlatformProcess[] = [];
afterEach(async () => {
  for (const process of started.splice(0)) await process.kill();
});

/** A process of these roles; with a failpoint it kills itself there. */
async function start(
  roles: string,
  failpoint = "",
): Promise<{ readonly process: PlatformProcess; readonly api: Api }> {
  const process = await spawnPlatform([...failingServerArgs(), failpoint], {
    dataDir: folder,
    readyWithinMs: 120_000,
    env: {
      SVC_DATABASE_URL: database.connectionString,
      SVC_BOOTSTRAP_KEY: key,
      SVC_ROLES: roles,
      SVC_WORKER_TIMEOUT: "2",
      SVC_DATABASE_CONNECTIONS: "10",
    },
  });
  started.push(process);
  return { process, api: apiOf(process.url, key) };
}

/** A worker that dies at the failpoint. */
async function dieAt(failpoint: string): Promise<void> {
  const { process } = await start("worker", failpoint);
  await expect.poll(() => isAlive(process.processId), patience).toBe(false);
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

const good = `await svc.batchSave([{ id: "1" }, { id: "2" }], "Contact");
  await svc.saveCheckpoint({ page: 1 });`;
const bad = `await svc.batchSave([{ id: "made-up" }], "Contact");
  await svc.saveCheckpoint({ cursor: "of the new format" });`;

const any = `{ safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) }`;
const fileOf = (js: string) => ({ fileBody: { js, ts: js } });

function syncOf(body: string) {
  return {
    ...{ type: "sync", syncName: "contacts", providerConfigKey: "crm", models: ["Contact"] },
    ...{ runs: "every day", auto_start: true, sync_type: "incremental" },
    models_json_schema: { definitions: { Contact: { type: "object" } } },
    ...fileOf(
      `module.exports.default = { type: "sync", models: { Contact: ${any} }, exec: async (svc) => { ${body} } };`,
    ),
  };
}

function actionOf(body: string) {
  return {
    ...{ type: "action", syncName: "greet", providerConfigKey: "crm", models: [], runs: null },
    ...fileOf(
      `module.exports.default = { type: "action", input: ${any}, output: ${any}, exec: async () => { ${body} } };`,
    ),
  };
}

type Flow = ReturnType<typeof syncOf> | ReturnType<typeof actionOf>;

/** What the command line sends for `jackfield deploy --canary chosen`, up to its start. */
async function stage(flows: readonly Flow[]): Promise<string> {
  const settings = { reconcile: false, deployMode: "single" };
  const { id } = (await api("POST", "/functions/deployments/staged", { body: settings })).body;
  const path = `/functions/deployments/staged/${id}`;
  const flowConfigs = flows.map(({ fileBody: { js, ts }, ...flow }) => ({
    ...flow,
    bundle: createHash("sha256")
      .update(JSON.stringify([js, ts, null]))
      .digest("hex"),
  }));
  const bundles = flows.map(({ fileBody }) => fileBody);
  expect((await api("POST", `${path}/functions`, { body: { flowConfigs } })).status).toBe(200);
  expect((await api("POST", `${path}/bundles`, { body: { bundles } })).status).toBe(200);
  return `${path}/canary`;
}

const chosen = { connections: { connection_ids: ["chosen"] } };

async function startCanary(flows: readonly Flow[]): Promise<string> {
  const started = await api("POST", await stage(flows), { body: chosen });
  expect(started.status).toBe(200);
  return started.body.data.id;
}

async function newest() {
  return (await api("GET", "/canaries?limit=1")).body.data[0];
}

async function readRecords(connectionId: string): Promise<string[]> {
  const headers = { "provider-config-key": "crm", "connection-id": connectionId };
  const { body } = await api("GET", "/records?model=Contact", { headers });
  const records: { id: string; _svc_metadata: { deleted_at: string | null } }[] =
    body.records ?? [];
  return records
    .filter(({ _svc_metadata: about }) => about.deleted_at === null)
    .map(({ id }) => id)
    .toSorted();
}

async function readCheckpoint(): Promise<unknown> {
  const { rows } = await database.pool.query(
    `select c.checkpoint from checkpoints c join connections on connections.uuid = c.connection_uuid
      where connections.connection_id = 'chosen' and c.checkpoint is not null`,
  );
  return rows.map(({ checkpoint }) => checkpoint);
}

async function runSync(): Promise<void> {
  const body = { provider_config_key: "crm", connection_id: "chosen", syncs: ["contacts"] };
  expect((await api("POST", "/sync/trigger", { body })).status).toBe(200);
}

async function call(connectionId: string): Promise<unknown> {
  const headers = { "provider-config-key": "crm", "connection-id": connectionId };
  return (await api("POST", "/action/trigger", { headers, body: { action_name: "greet" } })).body;
}

/** A worker that lives corrects the chosen connection, and leaves the other alone. */
async function expectUndone(): Promise<void> {
  const { process } = await start("worker");
  const state = async () => {
    const { rows: left } = await database.pool.query("select sync_id from canary_syncs");
    return [await readRecords("chosen"), await readCheckpoint(), left];
  };
  await expect.poll(state, patience).toEqual([["1", "2"], [{ page: 1 }], []]);
  await process.kill();
  expect(await readRecords("other")).toEqual(["1", "2"]);
}

test("first, both connections have what the deployed version saves", async () => {
  const { process } = await start("worker");
  for (const id of ["chosen", "other"]) {
    await expect.poll(async () => await readRecords(id), patience).toEqual(["1", "2"]);
  }
  await process.kill();
}, 120_000);

test("a start that dies after it is there is found, and ended", async () => {
  const path = await stage([actionOf("return 'new';")]);
  const victim = await start("api", "canaries.started");
  await victim.api("POST", path, { body: chosen }).catch(() => undefined);
  const { id, state } = await newest();
  const again = await api("POST", path, { body: chosen });
  await expect.poll(async () => await call("chosen"), patience).toBe("new");

  expect([state, again.status, await call("other")]).toEqual(["running", 409, "old"]);
  expect((await api("POST", `/canaries/${id}/rollback`)).status).toBe(200);
  await expect.poll(async () => await call("chosen"), patience).toBe("old");
}, 120_000);

test("a run of the new version that dies is not continued after a rollback", async () => {
  const id = await startCanary([syncOf(bad)]);
  await runSync();
  await dieAt("canaries.sync_touched");
  await api("POST", `/canaries/${id}/rollback`);

  await expectUndone();
}, 240_000);

test("undoing that dies twice is completed", async () => {
  const id = await startCanary([syncOf(bad)]);
  await runSync();
  const { process } = await start("worker");
  await expect.poll(async () => await readRecords("chosen"), patience).toContain("made-up");
  await process.kill();
  await api("POST", `/canaries/${id}/rollback`);
  await dieAt("canaries.sync_stopped");
  await dieAt("canaries.records_taken_back");

  await expectUndone();
}, 300_000);

test("a comparison that dies is made again, and a rollback by itself is one", async () => {
  const id = await startCanary([actionOf("throw new Error('broken');")]);
  for (let n = 0; n < 12; n += 1) await call("other");
  for (let n = 0; n < 8; n += 1) await call("chosen");
  await expect
    .poll(async () => (await api("GET", `/canaries/${id}`)).body.data.verdict, patience)
    .toBe("worse");
  await dieAt("canaries.compared");
  expect((await newest()).state).toBe("running");
  await dieAt("canaries.rolled_back");
  const ended = await newest();
  const { process } = await start("worker");
  await process.kill();

  expect(ended).toMatchObject({ id, state: "rolled_back", by_itself: true });
  expect(await newest()).toEqual(ended);
  expect(await call("chosen")).toBe("old");
  const { rows } = await database.pool.query(
    "select 1 from audit_events where action = 'rollBackCanary' and via = 'system'",
  );
  expect(rows).toHaveLength(1);
}, 300_000);

test("a promotion that dies after its commit holds for all, once", async () => {
  const id = await startCanary([actionOf("return 'newer';")]);
  const victim = await start("api", "canaries.promoted");
  await victim.api("POST", `/canaries/${id}/promote`).catch(() => undefined);
  await expect.poll(async () => await call("other"), patience).toBe("newer");

  const deployments = (await api("GET", "/deployments")).body.data;
  expect((await newest()).state).toBe("promoted");
  expect((await api("POST", `/canaries/${id}/promote`)).status).toBe(409);
  expect(deployments.filter(({ way }: { way: string }) => way === "canary")).toHaveLength(1);
}, 120_000);
