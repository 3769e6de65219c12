import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { requireTool } from "../require-tool.ts";
import { type Api, apiOf } from "./api.ts";
import { startPgBouncer } from "./start-pgbouncer.ts";
import { startWebhookReceiver } from "./webhook-receiver.ts";

// Everything works behind PgBouncer in transaction mode, even without a direct address of the database.

const any = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };`;
const sync = `${any} module.exports.default = { type: "sync", models: { Contact: any }, exec: async (svc) => {
  const { page = 0 } = (await svc.getCheckpoint()) ?? {};
  await svc.batchSave([{ id: "page-" + page }], "Contact");
  await svc.saveCheckpoint({ page: page + 1 });
} };`;
const action = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => ({ hello: input }) };`;

async function deploy(api: Api): Promise<void> {
  const common = { providerConfigKey: "crm", version: "1" };
  const body = {
    reconcile: true,
    flowConfigs: [
      {
        ...common,
        type: "sync",
        syncName: "contacts",
        models: ["Contact"],
        runs: "every hour",
        auto_start: true,
        models_json_schema: { definitions: { Contact: { type: "object" } } },
        fileBody: { js: sync, ts: "" },
      },
      {
        ...common,
        type: "action",
        syncName: "greet",
        models: [],
        runs: null,
        fileBody: { js: action, ts: "" },
      },
    ],
  };
  expect(await api("POST", "/sync/deploy", { body })).toMatchObject({ status: 200 });
}

async function walk(api: Api): Promise<void> {
  const settings = await api("GET", "/environment/webhooks");
  await using receiver = await startWebhookReceiver(settings.body.data.signing_keys[0].key);
  await api("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });
  const place = { provider_config_key: "crm", connection_id: "customer-1" };
  await api("POST", "/integrations", { body: { provider: "unauthenticated", unique_key: "crm" } });
  const imported = await api("POST", "/connections", {
    body: { ...place, credentials: { type: "NONE" } },
  });
  expect(imported.status).toBe(201);
  await deploy(api);
  const headers = { "connection-id": "customer-1", "provider-config-key": "crm" };

  const reported = await receiver.nth("sync", 0);
  expect(reported).toMatchObject({ success: true, responseResults: { added: 1 } });
  await api("POST", "/sync/trigger", { body: { ...place, syncs: ["contacts"] } });
  expect(await receiver.nth("sync", 1)).toMatchObject({ success: true });
  const records = await api("GET", "/records?model=Contact", { headers });
  expect(records.body.records).toHaveLength(2);

  const called = await api("POST", "/action/trigger", {
    headers,
    body: { action_name: "greet", input: "Ada" },
  });
  expect(called.body).toEqual({ hello: "Ada" });
  const accepted = await api("POST", "/action/trigger", {
    headers: { ...headers, "x-async": "true" },
    body: { action_name: "greet", input: "Bob" },
  });
  expect(await receiver.nth("async_action", 0)).toMatchObject({ payload: accepted.body });
  const result = await api("GET", accepted.body.statusUrl);
  expect([result.status, result.body]).toEqual([200, { hello: "Bob" }]);
}

test("a whole path behind a transaction pooler, with an address of the database itself", async (t) => {
  await walkBehindPooler(requireTool("pgbouncer", t), { isDeaf: false });
}, 60_000);

test("a whole path with a transaction pooler only: work is polled for", async (t) => {
  await walkBehindPooler(requireTool("pgbouncer", t), { isDeaf: true });
}, 60_000);

async function walkBehindPooler(command: string, { isDeaf }: { isDeaf: boolean }): Promise<void> {
  await using database = await createServerDatabase();
  await using pooler = await startPgBouncer(command, database.connectionString);
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const direct = isDeaf ? {} : { SVC_DATABASE_DIRECT_URL: database.connectionString };
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: pooler.url, SVC_BOOTSTRAP_KEY: key, ...direct },
  });
  try {
    await walk(apiOf(platform.url, key));
  } finally {
    expect(await platform.stop()).toBe(0);
  }
  expect(platform.output.match(/database\.pooler_only/g)?.length ?? 0).toBe(isDeaf ? 1 : 0);
  expect(platform.output).not.toMatch(/prepared statement/);
}
