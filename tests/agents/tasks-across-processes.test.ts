import { afterAll, beforeAll, expect, test } from "vitest";
import { followTasks } from "../../packages/server/src/agents/testing/task-client.ts";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

// Calls that clients follow as tasks, over processes that are killed.

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let folder: DataFolder;
let first: PlatformProcess;
let second: PlatformProcess;
let key = "";

beforeAll(async () => {
  database = await createEmptyDatabase();
  folder = await makeDataFolder();
  first = await start();
  key = first.keys.get("dev") ?? "";
  second = await start();
  await api("POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: "https://api.example.com" },
  });
  await api("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme", tags: { end_user_id: "ada" } },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  await api("POST", "/sync/deploy", { flowConfigs: [actionOf("note", note)], reconcile: false });
  await api("PUT", "/agent/toolsets/helper", { tools: [{ integration: "crm" }], mode: "direct" });
});
afterAll(async () => {
  await Promise.all([first.kill(), second.kill()]);
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function start(): Promise<PlatformProcess> {
  return await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_LOG_LEVEL: "silent" },
  });
}

/** Changes something, and then takes longer than any test waits. */
const note = `await svc.updateMetadata({ note: input.note });
  await new Promise((done) => setTimeout(done, input.pause));
  return "noted";`;

function actionOf(name: string, body: string): object {
  const any =
    "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
  const js = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => { ${body} } };`;
  return {
    ...{ type: "action", syncName: name, providerConfigKey: "crm", models: [], runs: null },
    ...{ input: "In", models_json_schema: { definitions: { In: { type: "object" } } } },
    fileBody: { js, ts: "" },
  };
}

async function api(
  method: string,
  path: string,
  body?: object,
): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${second?.url ?? first.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return text === "" ? undefined : JSON.parse(text);
}

async function approveAll(): Promise<void> {
  const { data } = await api("GET", "/agent/approvals?state=waiting");
  for (const { id } of data) await api("POST", `/agent/approvals/${id}`, { decision: "approve" });
}

test("a call that waited in a killed process is made by another one, and one that ran has no known outcome", {
  timeout: 180_000,
}, async () => {
  const session = (await api("POST", "/agent/sessions", { toolset: "helper", end_user_id: "ada" }))
    .data;
  let url = first.url;
  const client = followTasks(() => url, session);

  const waiting = await client.call("note", { note: "a", pause: 0 });
  const lost = await client.call("note", { note: "b", pause: 600_000 });
  await first.kill();
  url = second.url;
  await approveAll();
  await client.get(waiting.result.taskId);
  await expect
    .poll(async () => (await client.get(waiting.result.taskId)).result.status, { timeout: 20_000 })
    .toBe("completed");
  const made = (await client.get(waiting.result.taskId)).result;
  first = await start();
  url = first.url;
  await client.get(lost.result.taskId);
  await expect
    .poll(async () => (await api("GET", "/connections/acme?provider_config_key=crm")).metadata)
    .toMatchObject({ note: "b" });
  await first.kill();
  url = second.url;
  const running = (await client.get(lost.result.taskId)).result;
  await expect
    .poll(async () => (await client.get(lost.result.taskId)).result.status, { timeout: 60_000 })
    .toBe("completed");
  const unknown = (await client.get(lost.result.taskId)).result;
  const { data: approvals } = await api("GET", "/agent/approvals");

  expect(made.result.content).toEqual([{ type: "text", text: '"noted"' }]);
  expect(running.status).toBe("working");
  expect(unknown.result.isError).toBe(true);
  expect(unknown.result.content[0].text).toContain("outcome_unknown");
  expect(approvals.map(({ state }: { state: string }) => state)).toEqual(["used", "used"]);
});
