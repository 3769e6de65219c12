import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { actions } from "#actions";
import { environments } from "#environments";
import { type EnvironmentContext, MINUTE } from "#foundation";
import { deployFunctions, functions } from "#functions";
import {
  insertTestConnection,
  insertTestIntegration,
  newAction,
  newBundle,
  newUpload,
} from "#functions/testing";
import { type TestApp, testApp } from "#testing";
import { mcp } from "./slice.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let url: URL;
let client: Client;

beforeAll(async () => {
  app = await testApp({
    slices: [mcp, actions, environments, functions],
    settings: { rateLimitPerMinute: 10 },
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
  client = new Client({ name: "test", version: "1" });
});
afterEach(async () => await client.close());
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

async function connect(connectionId = "customer-1"): Promise<void> {
  const headers = { "connection-id": connectionId, "provider-config-key": "crm" };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
}

const greetInput = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
};

async function deploy(): Promise<void> {
  const greet = newAction("greet", {
    input: "Greeting",
    metadata: { description: "Greets somebody" },
    models_json_schema: { definitions: { Greeting: greetInput } },
    fileBody: newBundle(
      "action",
      'if (input.name === "nobody") throw new svc.ActionError({ message: "Nobody is there", code: 7 }); return { hello: input.name };',
    ),
  });
  const ping = newAction("ping", { fileBody: newBundle("action", "return typeof input;") });
  const square = newAction("square", {
    input: "Number",
    models_json_schema: { definitions: { Number: { type: "number" } } },
  });
  const off = newAction("off");
  await deployFunctions(ctx, newUpload({ flowConfigs: [greet, ping, square, off] }));
  await sql`update functions set enabled = false where name = 'off'`.execute(ctx.db);
}

test("the enabled actions are tools, with their schemas; any other value than an object is wrapped", async () => {
  await deploy();
  await connect();

  const { tools } = await client.listTools();

  expect(tools).toMatchObject([
    { name: "greet", description: "Greets somebody", inputSchema: greetInput },
    { name: "ping", inputSchema: { type: "object", properties: {} } },
    {
      name: "square",
      inputSchema: {
        type: "object",
        properties: { value: { type: "number" } },
        required: ["value"],
      },
    },
    { name: "read_result", annotations: { readOnlyHint: true } },
  ]);
});

test("a call runs the action and gives its output as text; a failure is one that can be read", async () => {
  await deploy();
  await connect();

  const greeted = await client.callTool({ name: "greet", arguments: { name: "Ada" } });
  const pinged = await client.callTool({ name: "ping", arguments: {} });
  const failed = await client.callTool({ name: "greet", arguments: { name: "nobody" } });

  expect(greeted.content).toEqual([{ type: "text", text: '{"hello":"Ada"}' }]);
  expect(pinged.content).toEqual([{ type: "text", text: '"undefined"' }]);
  expect(failed).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("Nobody is there") }],
  });
});

test("a tool that is disabled or unknown is refused, as is an unknown connection", async () => {
  await deploy();
  await connect();

  for (const name of ["off", "none"]) {
    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/no tool|not found/i);
  }
  await client.close();
  client = new Client({ name: "test", version: "1" });
  await expect(connect("nobody")).rejects.toThrow();
  const headers = { "content-type": "application/json", accept: "application/json" };
  const plain = await fetch(url, { method: "POST", headers, body: "{}" });
  expect(plain.status).toBe(400);
  expect(await plain.json()).toMatchObject({
    ...{ jsonrpc: "2.0", id: null },
    error: { code: -32_600, data: { code: "invalid_headers" } },
  });
});

test("what fails on our side is reported without its words", async () => {
  await deploy();
  await connect();
  await sql`alter table functions rename to away`.execute(ctx.db);
  try {
    const failure = await client.listTools().catch((error: unknown) => error);

    expect(String(failure)).toMatch(/failed on our side/);
    expect(String(failure)).not.toContain("relation");
  } finally {
    await sql`alter table away rename to functions`.execute(ctx.db);
  }
});

test("each message of a batch counts as a call within the rate limit", async () => {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-03-26",
    "connection-id": "customer-1",
    "provider-config-key": "crm",
  };
  const send = async (messages: number) => {
    const batch = Array.from({ length: messages }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/list",
    }));
    return await fetch(url, { method: "POST", headers, body: JSON.stringify(batch) });
  };

  const first = await send(8);
  const second = await send(8);

  expect([first.status, first.headers.get("x-ratelimit-remaining")]).toEqual([200, "2"]);
  expect(second.status).toBe(429);
  expect(await second.json()).toMatchObject({ error: { data: { code: "too_many_request" } } });
});

test("there is no stream to read: GET is 405", async () => {
  const response = await fetch(url);

  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32_000 } });
});
