import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createServerDatabase } from "../../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../../journeys/api.ts";
import { makeDataFolder } from "../../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../../launcher/platform-process.ts";
import { bundleOf } from "./tapes-under-test.ts";

// The end of a process while it records: the tape is lost, and the run is not.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const key = randomUUID();
const cleanUp = new AsyncDisposableStack();
let database: Awaited<ReturnType<typeof createServerDatabase>>;
let platform: PlatformProcess;
let call: Api;
let dataDir = "";
let pages = 0;
let isHeld = true;

beforeAll(async () => {
  database = cleanUp.use(await createServerDatabase());
  dataDir = cleanUp.use(await makeDataFolder()).path;
  const provider = createServer((_request, response) => {
    pages += 1;
    response.setHeader("content-type", "application/json");
    // The third page takes until the process has been killed.
    if (pages !== 3 || !isHeld) response.end(JSON.stringify({ page: pages }));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  cleanUp.defer(() => provider.closeAllConnections());
  cleanUp.defer(() => void provider.close());
  const address = provider.address();
  const port = typeof address === "object" ? address?.port : 0;
  await start();
  cleanUp.defer(async () => void (await platform.stop()));
  const baseUrl = `http://127.0.0.1:${port}`;
  await ok("POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: baseUrl },
  });
  await ok("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme" },
    credentials: { type: "API_KEY", apiKey: "canary-killed-key-1b2c3d4e" },
  });
});
afterAll(async () => await cleanUp.disposeAsync());

async function start(): Promise<void> {
  const env = {
    SVC_DATABASE_URL: database.connectionString,
    SVC_BOOTSTRAP_KEY: key,
    SVC_WORKER_TIMEOUT: "3",
  };
  platform = await startPlatformProcess({ dataDir, env });
  call = apiOf(platform.url, key);
}

async function ok(method: string, path: string, body: object) {
  const answer = await call(method, path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

test("a server that is killed while it records loses the tape, and the run continues", async () => {
  const body = `const from = (await svc.getCheckpoint())?.page ?? 0;
    for (let page = from + 1; page <= 5; page += 1) {
      const { data } = await svc.get({ endpoint: "/page/" + page });
      await svc.batchSave([{ id: String(page) }], "Contact");
      await svc.saveCheckpoint({ page });
    }
    await svc.clearCheckpoint();`;
  const flow = {
    ...{ type: "sync", syncName: "pages", providerConfigKey: "crm", runs: "every hour" },
    ...{
      models: ["Contact"],
      auto_start: false,
      fileBody: { js: bundleOf("sync", body), ts: body },
    },
    models_json_schema: { definitions: { Contact: { type: "object" } } },
  };
  await ok("POST", "/sync/deploy", { reconcile: false, flowConfigs: [flow] });
  await ok("PUT", "/integrations/crm/functions/pages/tape-rule", { sample: 1 });
  const place = { provider_config_key: "crm", connection_id: "acme" };
  await ok("POST", "/sync/trigger", { ...place, syncs: ["pages"] });
  await vi.waitFor(() => expect(pages).toBe(3), { timeout: 30_000, interval: 20 });

  await platform.kill();
  const { rows: lost } = await database.pool.query("select 1 from tapes");
  isHeld = false;
  await start();

  await vi.waitFor(
    async () => {
      const { body: found } = await call("GET", "/records?model=Contact", {
        headers: { "provider-config-key": "crm", "connection-id": "acme" },
      });
      expect(found.records).toHaveLength(5);
      expect((await call("GET", "/tapes")).body.data).toHaveLength(1);
    },
    { timeout: 60_000, interval: 200 },
  );
  const [tape] = (await call("GET", "/tapes")).body.data;
  const { data } = (await call("GET", `/operations/${tape.operation_id}/tape`)).body;
  expect(lost).toEqual([]);
  // That of the run's second attempt, which began at the checkpoint of the first.
  expect(tape).toMatchObject({ state: "success", is_cut: false });
  const endpoints = data.calls.map(
    ({ params }: { params: { endpoint?: string } }) => params.endpoint,
  );
  expect(endpoints.filter(Boolean)).toEqual(["/page/3", "/page/4", "/page/5"]);
});
