import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

// A coding agent with an API key, by the official client, against a whole platform.

const SECRET = "canary-4f9d21c6b0";

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let folder: DataFolder;
let platform: PlatformProcess;
let agent: Client;
let api: Api;

beforeAll(async () => {
  database = await createEmptyDatabase();
  folder = await makeDataFolder();
  platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_LOG_LEVEL: "silent" },
  });
  api = apiOf(platform.url, devKey());
  await add("/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: "http://127.0.0.1:9" },
  });
  await add("/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme", tags: { end_user_id: "ada" } },
    credentials: { type: "API_KEY", apiKey: SECRET },
  });
  agent = await connect(devKey());
});
afterAll(async () => {
  await agent.close();
  await platform.stop();
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

function devKey(): string {
  return platform.keys.get("dev") ?? "";
}

async function add(path: string, body: object): Promise<void> {
  const { status } = await api("POST", path, { body });
  expect(status, path).toBeLessThan(300);
}

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: "coding-agent", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${platform.url}/mcp/manage`), { requestInit }),
  );
  return client;
}

/** What a tool says, and whether it has failed. */
async function call(name: string, given: Record<string, unknown> = {}, client = agent) {
  const result = await client.callTool({ name, arguments: given });
  const [block] = result.content;
  const text = block?.type === "text" ? block.text : "";
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers and compare what they find
  const said: any = text.startsWith("{") ? JSON.parse(text) : text;
  return { failed: result.isError === true, said, text };
}

const greet = `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Greets",
  input: z.object({ name: z.string() }),
  output: z.string(),
  exec: async (svc, { name }) => "Hello, " + name,
});
`;

test("a function is checked, tried, deployed and called, and the log tells of it", async () => {
  const broken = await call("compile_function", {
    code: greet.replace("createAction({", "creat({"),
  });
  expect(broken).toMatchObject({ failed: true, said: { code: "compilation_error" } });
  const sound = await call("compile_function", { code: greet });
  expect(sound.failed, sound.text).toBe(false);

  const source = { integration_id: "crm", function_type: "action", code: greet };
  const dry = await call("start_dry_run", {
    ...{ ...source, connection_id: "acme", input: { name: "Ada" } },
  });
  expect(dry.failed, dry.text).toBe(false);
  await vi.waitFor(
    async () => {
      const { said } = await call("get_dry_run", { id: dry.said.id });
      expect(said).toMatchObject({ status: "success", result: "Hello, Ada" });
    },
    { timeout: 60_000, interval: 300 },
  );
  const deployment = await call("deploy_function", {
    ...{ ...source, type: "function", function_name: "greet" },
  });
  expect(deployment.failed, deployment.text).toBe(false);
  await vi.waitFor(
    async () => {
      const { said } = await call("get_deployment", { id: deployment.said.id });
      expect(said).toMatchObject({ status: "success", deployed: true });
    },
    { timeout: 60_000, interval: 300 },
  );
  const listed = await call("list_functions", { provider_config_key: "crm" });
  expect(listed.said.data).toMatchObject([{ name: "greet" }]);
  const answer = await call("call_action", {
    ...{ provider_config_key: "crm", connection_id: "acme" },
    ...{ action_name: "greet", input: { name: "Ada" } },
  });
  expect(answer.text).toBe('"Hello, Ada"');
  await vi.waitFor(
    async () => {
      const { said } = await call("list_operations", { types: ["action"] });
      expect(said.data.length).toBeGreaterThan(0);
    },
    { timeout: 20_000, interval: 300 },
  );
}, 180_000);

test("no tool answers with credentials, and none takes an argument that asks for them", async () => {
  const { tools } = await agent.listTools();
  const given: Record<string, string> = {
    ...{ uniqueKey: "crm", provider: "github", name: "greet", type: "action", id: "acme" },
    ...{ connectionId: "acme", provider_config_key: "crm", model: "Thing", by: "status" },
    ...{ "connection-id": "acme", "provider-config-key": "crm" },
  };
  const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
  expect(reading.length).toBeGreaterThan(15);

  for (const { name, inputSchema } of reading) {
    const wanted = (inputSchema.required ?? []).map((field) => [field, given[field] ?? "x"]);
    const { text } = await call(name, Object.fromEntries(wanted));
    expect(text, name).not.toContain(SECRET);
    const asked = await call(name, { ...Object.fromEntries(wanted), include: "credentials" });
    const isOffered = Object.keys(inputSchema.properties ?? {}).includes("include");
    if (!isOffered) expect(asked, name).toMatchObject({ said: { code: "invalid_input" } });
    expect(asked.text, name).not.toContain(SECRET);
  }
}, 60_000);

test("a key has the tools of its scopes alone, and calls no other by its name", async () => {
  const scopes = ["environment:logs:read", "environment:problems:read"];
  const made = await api("POST", "/environment/api-keys", {
    body: { display_name: "reader", scopes },
  });
  await using reader = Object.assign(await connect(made.body.data.secret), {
    async [Symbol.asyncDispose]() {
      await reader.close();
    },
  });

  const { tools } = await reader.listTools();

  expect(tools.map(({ name }) => name)).toEqual([
    ...["list_providers", "get_provider", "list_problems"],
    ...["list_operations", "list_operation_messages", "get_metric_totals"],
  ]);
  await expect(reader.callTool({ name: "deploy_function", arguments: {} })).rejects.toThrow(
    'There is no tool "deploy_function" for this key',
  );
});

test("all tools together take at most 7,500 tokens of a model's window", async () => {
  const { tools } = await agent.listTools();

  expect(tools.length).toBeGreaterThanOrEqual(30);
  expect(JSON.stringify(tools).length / 3.6).toBeLessThanOrEqual(7500);
});

test("a long list comes with its start and how to ask for less", async () => {
  const { said } = await call("list_providers");

  expect(said.total.items).toBeGreaterThan(500);
  expect(said.first.length).toBeGreaterThan(0);
  expect(said.more).toContain("ask for less");
});

test("what the API refuses comes with its code, and values go only where they belong", async () => {
  const missing = await call("diagnose_connection", {
    ...{ connectionId: "nobody/../../health?x=1", provider_config_key: "crm" },
  });
  expect(missing).toMatchObject({ failed: true, said: { status: 400 } });
  const wrong = await call("list_connections", { limit: "many" });
  expect(wrong).toMatchObject({
    failed: true,
    said: { status: 400, code: "invalid_query_params" },
  });
});

test("a stranger gets no tools, and no toolset takes the address", async () => {
  await expect(connect("wrong")).rejects.toThrow();
  const named = await api("PUT", "/agent/toolsets/manage", {
    body: { tools: [{ integration: "crm" }] },
  });
  expect(named.status).toBe(400);
  expect(JSON.stringify(named.body)).toContain("is the address of the environment's own tools");
});
