import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Jackfield } from "../index.ts";
import { type StubPlatform, startStubPlatform } from "../testing/stub-platform.ts";
import type { AgentSessionTools } from "./agent-session-tools.ts";

let platform: StubPlatform;
let tools: AgentSessionTools;

const tool = {
  name: "crm__find",
  description: "Finds",
  inputSchema: { type: "object", properties: { name: { type: "string" } } },
};
const rpc = (result: object) => ({ body: { jsonrpc: "2.0", id: 1, result } });
const streamed = (result: object) => ({
  headers: { "content-type": "text/event-stream" },
  body: `: open\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress" })}\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`,
});
const answered = streamed({ content: [{ type: "text", text: '{"found":1}' }] });

beforeAll(async () => {
  platform = await startStubPlatform();
});
afterAll(async () => await platform[Symbol.asyncDispose]());
beforeEach(async () => {
  const jackfield = new Jackfield({ apiKey: "key", host: platform.url });
  platform.answer({ status: 201, body: { data: { id: "s 1", token: "t" } } });
  tools = await jackfield.agent.createSession({ toolset: "helper", end_user_id: "u1" });
  platform.seen.length = 0;
});

test("the tools of a session have the form that each library takes, and are asked for once", async () => {
  platform.answer(rpc({ tools: [tool] }));

  const openai = await tools.forOpenAI();
  const anthropic = await tools.forAnthropic();

  const { name, description, inputSchema } = tool;
  expect(openai).toEqual([
    { type: "function", name, description, parameters: inputSchema, strict: false },
  ]);
  expect(anthropic).toEqual([{ name, description, input_schema: inputSchema }]);
  expect(platform.seen).toMatchObject([
    { method: "POST", url: "/mcp/helper", headers: { authorization: "Bearer t" } },
  ]);
});

test("calls of a model are done with the session's token, and answered in the model's form", async () => {
  const failed = streamed({ isError: true, content: [{ type: "text", text: '{"code":"x"}' }] });
  platform.answer(answered, failed);

  const toOpenAI = await tools.answerOpenAI({
    ...{ name: "crm__find", call_id: "c1", arguments: '{"name":"Ada"}' },
  });
  const toAnthropic = await tools.answerAnthropic({ id: "b1", name: "crm__find", input: {} });

  expect(toOpenAI).toEqual({
    ...{ type: "function_call_output", call_id: "c1", output: '{"found":1}' },
  });
  expect(toAnthropic).toEqual({
    ...{ type: "tool_result", tool_use_id: "b1", content: '{"code":"x"}', is_error: true },
  });
  expect(JSON.parse(platform.seen[0]?.body ?? "")).toMatchObject({
    ...{ method: "tools/call", params: { name: "crm__find", arguments: { name: "Ada" } } },
  });
});

test("the AI SDK gets tools that call", async () => {
  platform.answer(rpc({ tools: [tool] }), answered);

  const made = await tools.forAiSdk({ jsonSchema: (schema: object) => ({ schema }) });
  const value = await made["crm__find"]?.execute({ name: "Ada" });

  expect(made["crm__find"]?.inputSchema).toEqual({ schema: tool.inputSchema });
  expect(value).toEqual({ found: 1 });
});

test("a session that has ended throws with the server's code", async () => {
  const error = { code: -32_600, message: "ended", data: { code: "unknown_agent_token" } };
  platform.answer({ status: 401, body: { jsonrpc: "2.0", id: 1, error } }, rpc({ tools: [] }), {});

  await expect(tools.list()).rejects.toMatchObject({ status: 401, code: "unknown_agent_token" });
  expect(await tools.list()).toEqual([]);
  await tools.end();
  expect(platform.seen.at(-1)).toMatchObject({ method: "DELETE", url: "/agent/sessions/s%201" });
});
