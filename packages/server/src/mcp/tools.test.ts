import { createServer, type RequestListener } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { actions } from "#actions";
import { createConnection } from "#connections";
import { environments } from "#environments";
import { type EnvironmentContext, HOUR, MINUTE } from "#foundation";
import { deployFunctions, functions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newUpload,
} from "#functions/testing";
import { createIntegration } from "#integrations";
import { flushLogs } from "#logs";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";
import { mcp } from "./slice.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let url: URL;
let client: Client;

beforeAll(async () => {
  app = await testApp({
    slices: [mcp, actions, environments, functions, proxy],
    runsFunctions: true,
    caller: async ({ signal }) => ({ ...ctx, signal }),
  });
  url = new URL("/mcp", await app.listen());
});
beforeEach(async () => {
  app.clock.advance(MINUTE);
  ctx = await app.addEnvironment();
  const integration = await insertTestIntegration(ctx, "crm");
  await insertTestConnection(ctx, integration, "customer-1");
  await insertTestConnection(ctx, integration, "customer-2");
  client = await connect("customer-1");
});
afterEach(async () => await client.close());
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

const headersOf = (connectionId: string, integrationKey = "crm") => ({
  "connection-id": connectionId,
  "provider-config-key": integrationKey,
});

async function connect(connectionId: string, integrationKey?: string): Promise<Client> {
  const connected = new Client({ name: "test", version: "1" });
  const requestInit = { headers: headersOf(connectionId, integrationKey) };
  await connected.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return connected;
}

type Change = Parameters<typeof newAction>[1];

async function deploy(name: string, body: string, change: Change = {}): Promise<void> {
  const fileBody = newBundle("action", body);
  const flow = newAction(name, { ...change, fileBody });
  await deployFunctions(ctx, newUpload({ flowConfigs: [flow] }));
}

const modelled = (input: object, output: object = {}) => ({
  input: "In",
  models: ["Out"],
  models_json_schema: { definitions: { In: { ...input }, Out: { ...output } } },
});

async function call(name: string, args: object = {}, from = client) {
  const result = await from.callTool({ name, arguments: { ...args } });
  const [content] = result.content;
  if (content?.type !== "text") throw new Error("the result has no text");
  return { ...result, text: content.text, value: JSON.parse(content.text) };
}

test("what an author says of an action is shown to clients, and nothing is claimed of others", async () => {
  const agent = {
    effect: "destructive",
    idempotent: true,
    sends: "external",
    title: "Erase",
  } as const;
  await deploy("erase", "return 1;", { agent });
  await deploy("plain", "return 1;");
  await deploy("hidden", "return 1;", { agent: { expose: false } });

  const { tools } = await client.listTools();

  expect(tools.map(({ name }) => name)).toEqual(["erase", "plain", "read_result"]);
  expect(tools[0]).toMatchObject({
    title: "Erase",
    annotations: {
      ...{ readOnlyHint: false, destructiveHint: true },
      ...{ idempotentHint: true, openWorldHint: true },
    },
  });
  expect(tools[1]).not.toHaveProperty("annotations");
});

test("a union of objects is a tool as it is, and a scalar is unwrapped on the call", async () => {
  const branch = (kind: string) => ({
    type: "object",
    properties: { kind: { const: kind } },
    required: ["kind"],
  });
  await deploy("upsert", "return input.kind;", modelled({ oneOf: [branch("a"), branch("b")] }));
  await deploy("square", "return input * input;", modelled({ type: "number" }));

  const { tools } = await client.listTools();

  expect(tools[1]?.inputSchema).toMatchObject({
    type: "object",
    oneOf: [branch("a"), branch("b")],
  });
  expect((await call("upsert", { kind: "b" })).value).toBe("b");
  expect((await call("square", { value: 3 })).value).toBe(9);
});

test("properties keep the author's order, and patterns next to a format stay out", async () => {
  const properties = {
    zip: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    email: { type: "string", format: "email", pattern: "^.+@.+$" },
    code: { type: "string", pattern: "^[a-z]+$" },
    a: { type: "string" },
  };
  await deploy("create", "return 1;", modelled({ type: "object", properties, required: ["zip"] }));

  const { tools } = await client.listTools();

  expect(JSON.stringify(tools[0]?.inputSchema)).toBe(
    JSON.stringify({
      type: "object",
      properties: {
        zip: { type: "integer" },
        email: { type: "string", format: "email" },
        code: { type: "string", pattern: "^[a-z]+$" },
        a: { type: "string" },
      },
      required: ["zip"],
    }),
  );
});

test("a tool promises its output only where one that does not fit fails the call", async () => {
  const output = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  await deploy("find", 'return { id: "1" };', modelled({ type: "object" }, output));
  const before = (await client.listTools()).tools[0];
  const unpromised = await call("find");
  await fetch(new URL("/environment/settings", url), {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ validation: { output: "fail" } }),
  });

  const after = (await client.listTools()).tools[0];
  const promised = await call("find");

  expect(before).not.toHaveProperty("outputSchema");
  expect(unpromised).not.toHaveProperty("structuredContent");
  expect(after?.outputSchema).toMatchObject({ type: "object", anyOf: [output, {}] });
  expect(promised.structuredContent).toEqual({ id: "1" });
});

const rows =
  'Array.from({ length: 2000 }, (_, id) => ({ id, name: "row " + id, tags: ["t" + (id % 3)] }))';

test("a long result comes as its start and a handle, by which the rest is read", async () => {
  await deploy("list", `return { rows: ${rows} };`);

  const { value, text, isError } = await call("list");
  const reading = { handle: value.handle, path: "/rows" };
  const page = await call("read_result", { ...reading, offset: 1990 });
  const found = await call("read_result", {
    ...reading,
    where: [{ path: "/name", op: "==", value: "row 1999" }],
  });

  expect(isError).toBeUndefined();
  expect(Buffer.byteLength(text)).toBeLessThan(4000 * 3.6);
  expect(value).toMatchObject({
    total: { items: 2000 },
    type: "{ rows: { id: number; name: string; tags: string[] }[] }",
    path: "/rows",
  });
  expect(value.first.length).toBeGreaterThan(50);
  expect(page.value).toMatchObject({ total: 2000, items: { length: 10 } });
  expect(found.value).toEqual({ total: 1, items: [{ id: 1999, name: "row 1999", tags: ["t1"] }] });
});

test("a handle is of no use to another connection, and ends after an hour", async () => {
  await deploy("list", `return ${rows};`);
  const { value } = await call("list");
  const other = await connect("customer-2");

  const stolen = await call("read_result", { handle: value.handle }, other);
  app.clock.advance(HOUR + 1);
  const late = await call("read_result", { handle: value.handle });

  await other.close();
  expect([stolen, late].map(({ isError, value: failed }) => [isError, failed.code])).toEqual([
    [true, "not_found"],
    [true, "not_found"],
  ]);
});

test("every piece of a stored result is within the limit, for any path", async () => {
  await deploy("list", `return { texts: ["é".repeat(50000), "b"], deep: { rows: ${rows} } };`);
  const { value } = await call("list");

  for (const path of ["", "/texts", "/texts/0", "/deep", "/deep/rows", "/deep/rows/7", "/none"]) {
    const { text } = await call("read_result", { handle: value.handle, path });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4000 * 3.6);
  }
});

test("failures say what a model may do, without stacks and files", async () => {
  await deploy("broken", 'throw new Error("no such contact");');
  await deploy("refused", 'throw new svc.ActionError({ message: "Name is taken", code: 7 });');

  const broken = await call("broken");
  const refused = await call("refused");

  expect(broken).toMatchObject({ isError: true, value: { code: "internal" } });
  expect(broken.value.message).toContain("no such contact");
  expect(broken.text).not.toMatch(/stack|\.ts|\.js|Error:/);
  expect(refused.value).toMatchObject({
    ...{ code: "action_error", message: "Name is taken" },
    details: { code: 7 },
  });
});

/** What a call to a provider that answers like this becomes for the model. */
async function callProvider(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const uniqueKey = `api-${port}`;
  const integration = await createIntegration(ctx, {
    ...{ provider: "private-api-bearer", uniqueKey, displayName: undefined, forwardWebhooks: true },
    ...{ credentials: undefined, custom: {}, settings: {} },
    integrationConfig: { base_url: `http://127.0.0.1:${port}` },
  });
  await createConnection(ctx, {
    ...{ integration, connectionId: "bearer", metadata: undefined, connectionConfig: undefined },
    ...{ tags: undefined, webhookUrlOverride: undefined },
    credentials: { type: "API_KEY", apiKey: "canary-token" },
  });
  await deploy("ask", 'return (await svc.get({ endpoint: "/x" })).data;', {
    providerConfigKey: uniqueKey,
  });
  const asking = await connect("bearer", uniqueKey);
  const result = await call("ask", {}, asking);
  await asking.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return result.value;
}

test("an action that calls its own failure a withdrawn grant sends nobody to connect again", async () => {
  const failed = '{ code: "invalid_credentials", message: "No." }';
  await deploy("claims", `throw new svc.ActionError(${failed});`);
  await deploy("forges", `throw Object.assign(new Error("No."), ${failed});`);

  const results = [await call("claims"), await call("forges")];

  expect(results.map(({ value }) => value.code)).toEqual(["action_error", "internal"]);
});

test("a provider's refusals say whether to connect again, to wait or to change the input", async () => {
  const unauthorized = await callProvider((_, response) => response.writeHead(401).end());
  const limited = await callProvider((_, response) =>
    response.writeHead(429, { "retry-after": "17" }).end(),
  );
  const invalid = await callProvider((_, response) =>
    response.writeHead(422, { "content-type": "application/json" }).end('{"field":"email"}'),
  );

  expect(unauthorized).toMatchObject({
    code: "authorization_required",
    integration: expect.stringMatching(/^api-/),
  });
  expect(limited).toMatchObject({ code: "rate_limited", retry_after_s: 17 });
  expect(invalid).toMatchObject({
    ...{ code: "provider_error", status: 422 },
    details: { field: "email" },
  });
});

async function post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    headers: {
      ...headersOf("customer-1"),
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

const list = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };

test("pages of other origins are refused; local ones may call a local server", async () => {
  const foreign = await post(list, { origin: "http://evil.example" });
  const local = await post(list, { origin: "http://localhost:6274" });

  expect([foreign.status, local.status]).toEqual([403, 200]);
  expect(await foreign.json()).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code: -32_600 } });
});

test("browsers may send the protocol's headers", async () => {
  const response = await fetch(url, {
    method: "OPTIONS",
    headers: { origin: "http://localhost:6274", "access-control-request-method": "POST" },
  });

  const allowed = response.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  expect(allowed).toContain("mcp-protocol-version");
  expect(allowed).toContain("mcp-method");
});

test("a batch is refused by revisions without batches, and DELETE is 405", async () => {
  const batch = await post([list], { "mcp-protocol-version": "2025-11-25" });
  const old = await post([list], { "mcp-protocol-version": "2025-03-26" });
  const ended = await fetch(url, { method: "DELETE", headers: headersOf("customer-1") });

  expect([batch.status, old.status, ended.status]).toEqual([400, 200, 405]);
});

test("the answer to a slow call begins at once, and with a token its progress is reported", async () => {
  await deploy("slow", "await new Promise((resolve) => setTimeout(resolve, 1500)); return 1;");
  const params = { name: "slow", arguments: {}, _meta: { progressToken: "p" } };

  const startedAt = performance.now();
  const response = await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headersAfterMs = performance.now() - startedAt;
  const text = await response.text();
  const endedAfterMs = performance.now() - startedAt;

  expect(endedAfterMs).toBeGreaterThan(1500);
  expect(headersAfterMs).toBeLessThan(endedAfterMs - 100);
  expect(text).toMatch(/notifications\/progress.*"progressToken":"p"/);
});

test("the log says that a call came from a model's client, and which", async () => {
  await deploy("ping", "return 1;");

  await call("ping");
  await flushLogs(ctx);

  const { rows } = await sql`
    select meta -> 'mcp' as mcp from operations
     where environment_id = ${ctx.environment.id} and type = 'action'`.execute(ctx.db);
  expect(rows).toEqual([{ mcp: { client: expect.stringMatching(/./) } }]);
});
