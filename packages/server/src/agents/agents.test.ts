import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { actions } from "#actions";
import { connections } from "#connections";
import { environments } from "#environments";
import { type EnvironmentContext, HOUR, MINUTE, withEnvironment } from "#foundation";
import { deployFunctions, estimateTokens, functions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import type { Integration } from "#integrations";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";
import { authenticateAgent } from "./sessions/authenticate-agent.ts";
import { agents } from "./slice.ts";
import { connect, integrate } from "./testing/accounts.ts";

let app: TestApp;
let ctx: EnvironmentContext;
let url: string;
let crm: Integration;

beforeAll(async () => {
  app = await testApp({
    slices: [agents, actions, connections, environments, functions, proxy],
    runsFunctions: true,
    caller: async ({ request, route, signal }) => {
      if (!route.principals.includes("agent")) return { ...ctx, signal };
      const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
      const { environment, actor } = await authenticateAgent(app.ctx, token);
      return withEnvironment({ ...app.ctx, signal }, environment, actor);
    },
  });
  url = await app.listen();
});
beforeEach(async () => {
  app.clock.advance(MINUTE);
  ctx = await app.addEnvironment();
  crm = await integrate(ctx, "crm");
  await integrate(ctx, "mail");
  await connect(ctx, { integration: crm, connectionId: "ada-crm", endUserId: "ada" });
  await connect(ctx, { integration: crm, connectionId: "bob-crm", endUserId: "bob" });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

type Change = Parameters<typeof newAction>[1];

const deployed = new Map<string, ReturnType<typeof newAction>>();
beforeEach(() => deployed.clear());

async function deploy(name: string, body: string, change: Change = {}): Promise<void> {
  const fileBody = newBundle("action", body);
  deployed.set(
    `${change.providerConfigKey ?? ""}/${name}`,
    newAction(name, { ...change, fileBody }),
  );
  await deployFunctions(ctx, newUpload({ flowConfigs: [...deployed.values()] }));
}

/** What the tests look at; whether it is there is for them to say. */
type Answer = ReturnType<typeof JSON.parse>;

async function api(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function putToolset(name: string, settings: object = {}) {
  return await api("PUT", `/agent/toolsets/${name}`, {
    ...{ mode: "direct", tools: [{ integration: "crm" }] },
    ...settings,
  });
}

async function begin(body: object = {}): Promise<Answer> {
  const made = await api("POST", "/agent/sessions", {
    ...{ toolset: "helper", end_user_id: "ada" },
    ...body,
  });
  return made.body.data;
}

async function speak(token: string, toolset = "helper"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`/mcp/${toolset}`, url), { requestInit }),
  );
  return client;
}

async function call(client: Client, name: string, args: object = {}): Promise<Answer> {
  // No two calls at the same time: lists are in the order of time.
  app.clock.advance(1);
  const result = await client.callTool({ name, arguments: { ...args } });
  const [content] = result.content;
  if (content?.type !== "text") throw new Error("the result has no text");
  return { ...result, text: content.text, value: JSON.parse(content.text) };
}

test("an agent calls the tools of its toolset for its end user, and sees nobody else's accounts", async () => {
  await deploy("whose", "return (await svc.getConnection()).connection_id;", {
    agent: { effect: "read" },
  });
  await putToolset("helper");

  const session = await begin();
  const client = await speak(session.token);
  const { tools } = await client.listTools();
  const answer = await call(client, "crm__whose");
  const accounts = await call(client, "accounts");

  expect(session).toMatchObject({
    mode: "direct",
    tools: { count: 1 },
    accounts: [{ connection_id: "ada-crm" }],
  });
  expect(tools.map(({ name }) => name)).toEqual(["crm__whose", "read_result", "accounts"]);
  expect(answer.value).toBe("ada-crm");
  expect(accounts.value.accounts).toEqual([
    { integration: "crm", account: "ada-crm", state: "ok" },
  ]);
});

test("a token ends with its session and its time, and is for one toolset only", async () => {
  await putToolset("helper");
  await putToolset("other");
  const [ended, expired, foreign] = [await begin(), await begin(), await begin()];

  await api("DELETE", `/agent/sessions/${ended.id}`);
  await expect(speak(ended.token)).rejects.toThrow(/ended|401|unknown/i);
  await expect(speak(foreign.token, "other")).rejects.toThrow(/another toolset|403/i);
  app.clock.advance(HOUR);
  await expect(speak(expired.token)).rejects.toThrow(/expired|401|unknown/i);
  await expect(speak("svc_agent_nonsense")).rejects.toThrow();
});

const reading = { agent: { effect: "read" } } as const;

test("in search mode six fixed tools stand for any number of others, and three round trips do a task", async () => {
  const input = {
    type: "object",
    properties: { email: { type: "string" }, name: { type: "string" } },
    required: ["email"],
  };
  const models = { input: "In", models_json_schema: { definitions: { In: input } } };
  const description = "Creates a contact. It may be called again.";
  await deploy("create-contact", "return { made: input.email };", {
    ...models,
    metadata: { description },
  });
  await deploy("find-contact", "return { found: true };", {
    ...reading,
    metadata: { description: "Finds one" },
  });
  await putToolset("helper", { mode: "search" });
  const client = await speak((await begin()).token);

  const { tools } = await client.listTools();
  const found = await call(client, "find_tools", { query: "add a person to the crm" });
  const described = await call(client, "describe_tools", { names: ["crm__create-contact"] });
  const done = await call(client, "write_tool", {
    name: "crm__create-contact",
    input: { email: "a@example.com" },
  });

  expect(tools.map(({ name }) => name)).toEqual([
    ...["find_tools", "describe_tools", "read_tool", "write_tool", "read_result", "accounts"],
  ]);
  expect(estimateTokens(tools)).toBeLessThanOrEqual(1300);
  expect(found.value.tools[0]).toEqual({
    name: "crm__create-contact",
    signature: "(input: { email: string; name?: string })",
    does: "Creates a contact",
    effect: "write",
  });
  expect(described.value.tools).toMatchObject([{ description, input }]);
  expect(done.value).toEqual({ made: "a@example.com" });
  const texts = [found, described, done].map(({ text }) => text);
  expect(estimateTokens(tools) + estimateTokens(texts)).toBeLessThanOrEqual(2500);
});

test("the tool that reads calls nothing that writes", async () => {
  await deploy("write", "return 1;");
  await deploy("read", "return 2;", reading);
  await putToolset("helper", { mode: "search" });
  const client = await speak((await begin()).token);

  const refused = await call(client, "read_tool", { name: "crm__write" });
  const read = await call(client, "read_tool", { name: "crm__read" });

  expect(refused).toMatchObject({ isError: true, value: { code: "wrong_executor" } });
  expect(read.value).toBe(2);
});

test("of two accounts one has to be named, and nobody else's is taken", async () => {
  await deploy("whose", "return (await svc.getConnection()).connection_id;", reading);
  await connect(ctx, { integration: crm, connectionId: "ada-second", endUserId: "ada" });
  await putToolset("helper");
  const client = await speak((await begin()).token);

  const { tools } = await client.listTools();
  const unnamed = await call(client, "crm__whose");
  const foreign = await call(client, "crm__whose", { account: "bob-crm" });
  const named = await call(client, "crm__whose", { account: "ada-second" });

  expect(tools[0]?.inputSchema).toMatchObject({
    properties: { account: { enum: ["ada-second", "ada-crm"] } },
    required: ["account"],
  });
  expect(unnamed.value).toMatchObject({
    code: "account_required",
    details: { accounts: ["ada-second", "ada-crm"] },
  });
  expect(foreign.value.code).toBe("account_required");
  expect(named.value).toBe("ada-second");
  expect(named._meta).toMatchObject({ "dev.jackfield/account": { alias: "ada-second" } });
});

test("an end user without a connection gets a clear answer, also right after the connection was deleted", async () => {
  await deploy("send", "return 1;", { providerConfigKey: "mail" });
  await deploy("read", "return 2;", reading);
  await putToolset("helper", { tools: [{ integration: "mail" }, { integration: "crm" }] });
  const session = await begin();
  const client = await speak(session.token);

  const missing = await call(client, "mail__send");
  const before = await call(client, "crm__read");
  await api("DELETE", "/connections/ada-crm?provider_config_key=crm");
  const after = await call(client, "crm__read");

  expect(session.missing).toEqual(["mail"]);
  expect(missing.value).toMatchObject({ code: "authorization_required", integration: "mail" });
  expect(before.value).toBe(2);
  expect(after.value).toMatchObject({ code: "authorization_required", integration: "crm" });
});

test("a policy takes away and never adds, and so does a new version of the toolset", async () => {
  await deploy("read", "return 1;", reading);
  await deploy("write", "return 2;");
  await deploy("secret", "return 3;");
  await putToolset("helper", { tools: [{ integration: "crm", actions: ["read", "write"] }] });
  const wide = { actions: ["read", "write", "secret"], integrations: ["crm", "mail"] };
  const [widening, narrowed, whole] = [
    await begin({ policy: wide }),
    await begin({ policy: { effects: ["read"] } }),
    await begin(),
  ];
  const namesOf = async ({ token }: Answer) => {
    const { tools } = await (await speak(token)).listTools();
    return tools.map(({ name }) => name).filter((name) => name.includes("__"));
  };

  expect(await namesOf(widening)).toEqual(["crm__read", "crm__write"]);
  expect(await namesOf(narrowed)).toEqual(["crm__read"]);
  const hidden = await call(await speak(narrowed.token), "crm__write");
  expect(hidden.value.code).toBe("unknown_tool");
  await putToolset("helper", { tools: [{ integration: "crm", actions: ["read", "secret"] }] });
  expect(await namesOf(whole)).toEqual(["crm__read"]);
  expect(await namesOf(await begin())).toEqual(["crm__read", "crm__secret"]);
});

test("a budget ends, equal calls are refused, and each call is listed with how it ended", async () => {
  await deploy("read", "return 1;", reading);
  await deploy("write", "return input;");
  await putToolset("helper", { budget: { calls: 100, writes: 5 } });
  const { id, token } = await begin({ budget: { writes: 1, calls: 900 } });
  const client = await speak(token);

  const writes = [await call(client, "crm__write"), await call(client, "crm__write")];
  const reads: Answer[] = [];
  for (let n = 0; n < 6; n += 1) reads.push(await call(client, "crm__read"));
  const unknown = await call(client, "nonsense");
  const session = await api("GET", `/agent/sessions/${id}`);
  const { body: listed } = await api("GET", `/agent/calls?session_id=${id}`);

  expect(writes[0]?._meta["dev.jackfield/budget"]).toEqual({ calls: 99, writes: 0 });
  expect(writes[1]?.value.code).toBe("budget_exhausted");
  expect(reads.map(({ content }) => content.length)).toEqual([1, 1, 2, 2, 2, 1]);
  expect(reads[5]?.value.code).toBe("repeated_call");
  expect(unknown.value.code).toBe("unknown_tool");
  expect(session.body.data).toMatchObject({
    budget: { calls: 100, writes: 1 },
    used: { calls: 6, writes: 1 },
  });
  expect(listed.data.map((each: Answer) => [each.tool, each.outcome, each.code])).toEqual([
    ["nonsense", "refused", "unknown_tool"],
    ["crm__read", "refused", "repeated_call"],
    ...Array.from({ length: 5 }, () => ["crm__read", "success", null]),
    ["crm__write", "refused", "budget_exhausted"],
    ["crm__write", "success", null],
  ]);
  expect(listed.data.at(-1)).toMatchObject({
    ...{ end_user_id: "ada", toolset: "helper", toolset_version: 1, integration: "crm" },
    ...{ connection_id: "ada-crm", effect: "write", client: expect.stringMatching(/./) },
    input_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    output_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test("a result's handle is of no use to another session, nor to a key", async () => {
  await deploy("list", "return Array.from({ length: 3000 }, (_, id) => ({ id }));", reading);
  await putToolset("helper");
  const [own, other] = [await speak((await begin()).token), await speak((await begin()).token)];

  const { handle } = (await call(own, "crm__list")).value;
  const read = await call(own, "read_result", { handle, offset: 2999 });
  const stolen = await call(other, "read_result", { handle });

  expect(read.value).toMatchObject({ total: 3000, items: [{ id: 2999 }] });
  expect(stolen.value.code).toBe("not_found");
});

test("agents are stopped by toolset, integration and end user, each without the others", async () => {
  await putToolset("helper");
  await putToolset("mailer", { tools: [{ integration: "mail" }] });
  const start = async () => [
    await begin(),
    await begin({ end_user_id: "bob" }),
    await begin({ toolset: "mailer" }),
  ];
  const open = async (sessions: Answer[]) => {
    const states = await Promise.all(
      sessions.map(async ({ id }) => (await api("GET", `/agent/sessions/${id}`)).body.data.state),
    );
    return states.map((state) => state === "open");
  };
  const stop = async (body: object) => {
    const sessions = await start();
    const { body: answer } = await api("POST", "/agent/stop", body);
    const left = await open(sessions);
    await api("POST", "/agent/stop", { all: true });
    return [answer.data.ended, ...left];
  };

  expect(await stop({ toolset: "mailer" })).toEqual([1, true, true, false]);
  expect(await stop({ integration: "crm" })).toEqual([2, false, false, true]);
  expect(await stop({ end_user_id: "bob" })).toEqual([1, true, false, true]);
  expect(await stop({ all: true })).toEqual([3, false, false, false]);
  expect((await api("POST", "/agent/stop", {})).status).toBe(400);
});

test("a call that waits when its session ends is not made", async () => {
  await deploy("read", "return 1;", reading);
  await putToolset("helper");
  const { id, token } = await begin();
  const client = await speak(token);
  await client.listTools();

  await api("DELETE", `/agent/sessions/${id}`);

  await expect(client.callTool({ name: "crm__read", arguments: {} })).rejects.toThrow();
  expect((await api("GET", `/agent/calls?session_id=${id}`)).body.data).toEqual([]);
});

test("no description is longer than a result may be, for schemas of any size", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [
      `field_${n}`,
      { type: "string", description: "x".repeat(100) },
    ]),
  );
  const models = {
    input: "In",
    models_json_schema: { definitions: { In: { type: "object", properties } } },
  };
  for (const name of ["a", "b", "c"]) await deploy(name, "return 1;", models);
  await putToolset("helper", { mode: "search" });
  const client = await speak((await begin()).token);
  const names = ["a", "b", "c"].map((name) => `crm__${name}`);

  const whole = await call(client, "describe_tools", { names });
  const found = await call(client, "find_tools", { query: "a b c crm", limit: 20 });

  expect(Buffer.byteLength(whole.text)).toBeLessThanOrEqual(14_400);
  expect(Buffer.byteLength(found.text)).toBeLessThanOrEqual(14_400);
  expect(whole.value.tools.map(({ name }: Answer) => name)).toEqual(names);
  expect(typeof whole.value.tools[0].input).toBe("string");
});
