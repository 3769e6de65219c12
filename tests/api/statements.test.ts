import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countStatements, type StatementCounts } from "../count-statements.ts";
import { type ApiUnderTest, startApi } from "./api-under-test.ts";

// Each statement that a hot route adds to its way costs every caller a round trip, so their number is pinned.

const REQUESTS = 30;

let counts: StatementCounts;
let api: ApiUnderTest;
let key = "";
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  counts = stack.use(countStatements());
  api = stack.use(await startApi({ SVC_ROLES: "api" }));
  key = await api.keyOf("dev", ["environment:*"]);
  const upstream = createServer((_request, response) => response.end("ok"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  stack.defer(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const address = upstream.address();
  const base_url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  await send("POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: "crm",
    integration_config: { base_url },
  });
  await send("POST", "/connections", {
    provider_config_key: "crm",
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  const models_json_schema = { definitions: { Contact: { type: "object" } } };
  const fileBody = { js: "module.exports = {};", ts: "" };
  const runs = "every day";
  const sync = { type: "sync", syncName: "contacts", providerConfigKey: "crm", runs };
  const flow = { ...sync, models: ["Contact"], auto_start: false, models_json_schema, fileBody };
  const action = { type: "action", syncName: "echo", providerConfigKey: "crm", runs: null };
  const definitions = { In: { type: "object" } };
  const models = { models: [], input: "In", models_json_schema: { definitions } };
  const any = "{ safeParseAsync: async (data) => ({ success: true, data }) }";
  const js = `module.exports.default = { type: "action", input: ${any}, output: ${any}, exec: async () => "done" };`;
  const echo = { ...action, ...models, agent: { effect: "read" }, fileBody: { js, ts: "" } };
  await send("POST", "/sync/deploy", { flowConfigs: [flow, echo], reconcile: false });
});
afterAll(async () => await stack.disposeAsync());

async function send(method: string, path: string, body?: object, token = key): Promise<string> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "provider-config-key": "crm",
      "connection-id": "acme",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return text;
}

/** Statements that each request makes; what loops and batches do now and then is left out. */
async function statementsOf(work: (n: number) => Promise<unknown>): Promise<string[]> {
  for (let n = 0; n < 5; n += 1) await work(-1 - n);
  counts.byText.clear();
  for (let n = 0; n < REQUESTS; n += 1) await work(n);
  return [...counts.byText].flatMap(([text, count]) =>
    Array.from({ length: Math.floor(count / REQUESTS) }, () => text.trim().slice(0, 60)),
  );
}

test.each([
  ["GET", "/connections/acme?provider_config_key=crm", undefined, 0],
  ["GET", "/connections", undefined, 1],
  // Of a model that has no record yet, whose sync is looked for.
  ["GET", "/records?model=Contact", undefined, 4],
  ["GET", "/proxy/x", undefined, 0],
  ["POST", "/connect/sessions", { tags: { end_user_id: "u" } }, 1],
] as const)("%s %s makes as many statements as it has to", async (method, path, body, wanted) => {
  const statements = await statementsOf(async () => await send(method, path, body));

  expect(statements.length, statements.join("\n")).toBe(wanted);
});

/** No call is like another, so that none is taken for a repeated one. */
const callOf = (name: string, n: number) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name, arguments: { n } },
});

test("a tool is called without a statement of its own", async () => {
  const statements = await statementsOf(async (n) => {
    expect(await send("POST", "/mcp", callOf("echo", n))).toContain("done");
  });

  expect(statements.length, statements.join("\n")).toBe(0);
});

test("an agent calls a tool with two statements: its budget and audit, which prove what is cached, and the end", async () => {
  await send("PATCH", "/connections/acme?provider_config_key=crm", { tags: { end_user_id: "u" } });
  const policy = { preset: "trusted" };
  const toolset = {
    ...{ mode: "direct", tools: [{ integration: "crm" }], budget: { calls: 1000 }, policy },
  };
  await send("PUT", "/agent/toolsets/helper", toolset);
  const session = await send("POST", "/agent/sessions", { toolset: "helper", end_user_id: "u" });
  const { token } = JSON.parse(session).data;

  const statements = await statementsOf(async (n) => {
    expect(await send("POST", "/mcp/helper", callOf("crm__echo", n), token)).toContain("done");
  });

  expect(statements.length, statements.join("\n")).toBe(2);
});
