import Anthropic from "@anthropic-ai/sdk";
import { Jackfield } from "@jackfield/node";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { generateText, isStepCount, jsonSchema } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmptyDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { startFakeModels } from "./fake-models.ts";

// The SDKs that authors of agents use, as they are published, against a server and a model that says what it is to say.

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let folder: DataFolder;
let platform: PlatformProcess;
let jackfield: Jackfield;

beforeAll(async () => {
  database = await createEmptyDatabase();
  folder = await makeDataFolder();
  platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_LOG_LEVEL: "silent" },
  });
  jackfield = new Jackfield({ apiKey: platform.keys.get("dev") ?? "", host: platform.url });
  const integration_config = { base_url: "https://api.example.com" };
  const integration = { provider: "private-api-bearer", unique_key: "crm", integration_config };
  await api("POST", "/integrations", integration);
  await api("POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme", tags: { end_user_id: "ada" } },
    credentials: { type: "API_KEY", apiKey: "k" },
  });
  await deploy("find", 'return { found: "Ada " + input.name };');
  await jackfield.toolsets.put("helper", { mode: "direct", tools: [{ integration: "crm" }] });
});
afterAll(async () => {
  await platform.stop();
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function api(method: string, path: string, body: object): Promise<void> {
  const response = await fetch(platform.url + path, {
    ...{ method, body: JSON.stringify(body) },
    headers: {
      authorization: `Bearer ${platform.keys.get("dev")}`,
      "content-type": "application/json",
    },
  });
  expect(response.status, `${path}: ${await response.text()}`).toBeLessThan(300);
}

const any =
  "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
const input = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const deployed: object[] = [];

async function deploy(name: string, body: string): Promise<void> {
  const js = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => { ${body} } };`;
  deployed.push({
    ...{ type: "action", syncName: name, providerConfigKey: "crm", models: [], runs: null },
    ...{ input: "In", models_json_schema: { definitions: { In: input } } },
    ...{ metadata: { description: "Finds" }, agent: { effect: "read" }, fileBody: { js, ts: "" } },
  });
  await api("POST", "/sync/deploy", { flowConfigs: deployed, reconcile: false });
}

const begin = async () =>
  await jackfield.agent.createSession({ toolset: "helper", end_user_id: "ada" });

test("OpenAI's SDK sends the tools of a session, and takes their answers back", async () => {
  const agent = await begin();
  const call = {
    ...{ type: "function_call", id: "fc_1", call_id: "call_1", name: "crm__find" },
    ...{ arguments: '{"name":"Lovelace"}', status: "completed" },
  };
  await using models = await startFakeModels({
    "/v1/responses": ({ input }) => ({ id: "r", output: Array.isArray(input) ? [] : [call] }),
  });
  const openai = new OpenAI({ apiKey: "none", baseURL: `${models.url}/v1` });
  const tools = await agent.forOpenAI();

  const first = await openai.responses.create({ model: "m", input: "Find her", tools });
  const items: OpenAI.Responses.ResponseInputItem[] = [];
  for (const item of first.output) {
    if (item.type === "function_call") items.push(item, await agent.answerOpenAI(item));
  }
  await openai.responses.create({ model: "m", input: items, tools });
  await agent.end();

  const [question, answers] = models.asked;
  expect(question.tools).toContainEqual({
    ...{ type: "function", name: "crm__find", description: "Finds", strict: false },
    parameters: input,
  });
  expect(answers.input).toEqual([
    call,
    { type: "function_call_output", call_id: "call_1", output: '{"found":"Ada Lovelace"}' },
  ]);
});

test("Anthropic's SDK sends the tools of a session, and takes their answers back", async () => {
  const agent = await begin();
  const block = { type: "tool_use", id: "toolu_1", name: "crm__find", input: { name: "Lovelace" } };
  const message = { id: "m", type: "message", role: "assistant", model: "m" };
  await using models = await startFakeModels({
    "/v1/messages": ({ messages }) => ({
      ...message,
      content: messages.length === 1 ? [block] : [{ type: "text", text: "Found." }],
    }),
  });
  const anthropic = new Anthropic({ apiKey: "none", baseURL: models.url });
  const tools = await agent.forAnthropic();
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Find her" }];
  const asked = { model: "m", max_tokens: 100, tools };

  const first = await anthropic.messages.create({ ...asked, messages });
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const each of first.content) {
    if (each.type === "tool_use") results.push(await agent.answerAnthropic(each));
  }
  messages.push({ role: "assistant", content: first.content }, { role: "user", content: results });
  await anthropic.messages.create({ ...asked, messages });
  await agent.end();

  const [question, answers] = models.asked;
  expect(question.tools).toContainEqual({
    ...{ name: "crm__find", description: "Finds", input_schema: input },
  });
  expect(answers.messages.at(-1).content).toEqual([
    { type: "tool_result", tool_use_id: "toolu_1", content: '{"found":"Ada Lovelace"}' },
  ]);
});

test("the AI SDK calls the tools of a session by itself", async () => {
  const agent = await begin();
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const steps = [
    {
      content: [
        {
          ...{ type: "tool-call" as const, toolCallId: "c1", toolName: "crm__find" },
          input: '{"name":"Lovelace"}',
        },
      ],
      finishReason: { unified: "tool-calls" as const, raw: undefined },
      ...{ usage, warnings: [] },
    },
    {
      content: [{ type: "text" as const, text: "Found." }],
      finishReason: { unified: "stop" as const, raw: undefined },
      ...{ usage, warnings: [] },
    },
  ];
  const model = new MockLanguageModelV4({ doGenerate: steps });

  const { text } = await generateText({
    ...{ model, prompt: "Find her", stopWhen: isStepCount(3) },
    tools: await agent.forAiSdk({ jsonSchema }),
  });
  await agent.end();

  const [first, second] = model.doGenerateCalls;
  expect(text).toBe("Found.");
  expect(first?.tools).toContainEqual(
    expect.objectContaining({ type: "function", name: "crm__find", inputSchema: input }),
  );
  expect(second?.prompt.at(-1)).toMatchObject({
    role: "tool",
    content: [{ toolCallId: "c1", output: { type: "json", value: { found: "Ada Lovelace" } } }],
  });
});

test("a client that listens hears of a tool that is deployed, and that the session has ended", async () => {
  const agent = await begin();
  const heard = Promise.withResolvers<readonly string[]>();
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      listChanged: {
        tools: {
          onChanged: (error, tools) =>
            error ? heard.reject(error) : heard.resolve((tools ?? []).map(({ name }) => name)),
        },
      },
    },
  );
  const { mcp_url: url, token } = agent.session;
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const listening = await client.listen({ toolsListChanged: true, resourcesListChanged: true });

  await deploy("other", "return 1;");
  const names = await heard.promise;
  await agent.end();
  const end = await listening.closed;
  await client.close();

  expect(listening.honoredFilter).toEqual({ toolsListChanged: true, resourcesListChanged: true });
  expect(names).toEqual(expect.arrayContaining(["crm__find", "crm__other"]));
  expect(end).toBe("graceful");
});
