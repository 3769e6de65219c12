import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Jackfield } from "@jackfield/node";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { requireTool } from "../require-tool.ts";

// The protocol's own tool for those who write servers, as it is published. It is no dependency: it brings a web
// application of 110 MB along, for which its command has no use.

const stack = new AsyncDisposableStack();
let platform: PlatformProcess;
let home: string;
let mcpUrl: string;
let token: string;

beforeAll(async () => {
  const database = stack.use(await createEmptyDatabase());
  home = stack.use(await makeDataFolder()).path;
  platform = await startPlatformProcess({
    dataDir: home,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_LOG_LEVEL: "silent" },
  });
  stack.defer(async () => void (await platform.stop()));
  const integration_config = { base_url: "https://api.example.com" };
  await api("/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm", integration_config },
  });
  await api("/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme", tags: { end_user_id: "ada" } },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  await api("/sync/deploy", { flowConfigs: [find], reconcile: false });
  const key = platform.keys.get("dev") ?? "";
  const jackfield = new Jackfield({ apiKey: key, host: platform.url });
  await jackfield.toolsets.put("helper", { mode: "direct", tools: [{ integration: "crm" }] });
  const agent = await jackfield.agent.createSession({ toolset: "helper", end_user_id: "ada" });
  mcpUrl = agent.session.mcp_url;
  token = agent.session.token;
}, 120_000);
afterAll(async () => await stack.disposeAsync());

const any =
  "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
const input = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const find = {
  ...{ type: "action", syncName: "find", providerConfigKey: "crm", models: [], runs: null },
  ...{ input: "In", models_json_schema: { definitions: { In: input } } },
  ...{ metadata: { description: "Finds" }, agent: { effect: "read" } },
  fileBody: {
    js: `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => ({ found: "Ada " + input.name }) };`,
    ts: "",
  },
};

async function api(path: string, body: object): Promise<void> {
  const response = await fetch(platform.url + path, {
    ...{ method: "POST", body: JSON.stringify(body) },
    headers: {
      authorization: `Bearer ${platform.keys.get("dev")}`,
      "content-type": "application/json",
    },
  });
  expect(response.status, `${path}: ${await response.text()}`).toBeLessThan(300);
}

async function inspect(context: TestContext, ...args: readonly string[]) {
  const inspector = requireTool("mcp-inspector", context);
  const header = `Authorization: Bearer ${token}`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [inspector, "--cli", mcpUrl, "--transport", "http", "--header", header, ...args],
    { env: { HOME: home }, timeout: 100_000 },
  );
  return JSON.parse(stdout);
}

test("the official Inspector lists the tools of a session", { timeout: 120_000 }, async (t) => {
  const { tools } = await inspect(t, "--method", "tools/list");

  expect(tools).toContainEqual(
    expect.objectContaining({ name: "crm__find", description: "Finds", inputSchema: input }),
  );
});

test("the official Inspector calls a tool of a session", { timeout: 120_000 }, async (t) => {
  const called = ["--method", "tools/call", "--tool-name", "crm__find"];
  const { content } = await inspect(t, ...called, "--tool-arg", "name=Lovelace");

  expect(content).toEqual([{ type: "text", text: '{"found":"Ada Lovelace"}' }]);
});
