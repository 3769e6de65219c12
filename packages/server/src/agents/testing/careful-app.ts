import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { actions } from "#actions";
import { connections } from "#connections";
import { environments } from "#environments";
import { type EnvironmentContext, MINUTE, withEnvironment } from "#foundation";
import { functions } from "#functions";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";
import { webhooksOut } from "#webhooks-out";
import { authenticateAgent } from "../sessions/authenticate-agent.ts";
import { agents } from "../slice.ts";
import { connect, integrate } from "./accounts.ts";

/** What the tests look at; whether it is there is for them to say. */
export type Answer = ReturnType<typeof JSON.parse>;

export type CallTool = (name: string, args?: object) => Promise<Answer>;

/** A platform whose agents act for Ada at the integration `crm`. */
export interface CarefulApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;
  /** Of the environment that `enter` has made. */
  readonly ctx: EnvironmentContext;
  enter(baseUrl?: string): Promise<void>;
  api(method: string, path: string, body?: object): Promise<Answer>;
  /** A session of a toolset with this policy, and a client that calls its tools. */
  begin(rules?: {
    toolset?: object;
    policy?: object;
    settings?: object;
    budget?: object;
  }): Promise<{ session: Answer; client: Client; call: CallTool }>;
  /** A session of a toolset that there is, whose tools are called by their whole names. */
  open(toolset: string, policy?: object, budget?: object): Promise<OpenSession>;
  decide(id: string, body?: object): Promise<Answer>;
}

interface OpenSession {
  readonly session: Answer;
  readonly client: Client;
  readonly callTool: CallTool;
}

export async function startCarefulApp(
  settings: { readonly mcpTaskAfterMs?: number } = {},
): Promise<CarefulApp> {
  let ctx: EnvironmentContext | undefined;
  const entered = (): EnvironmentContext => {
    if (ctx === undefined) throw new Error("enter an environment first");
    return ctx;
  };
  const app = await testApp({
    slices: [agents, actions, connections, environments, functions, proxy, webhooksOut],
    runsFunctions: true,
    settings,
    caller: async ({ request, route, signal }) => {
      if (!route.principals.includes("agent")) return { ...entered(), signal };
      const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
      const { environment, actor } = await authenticateAgent(app.ctx, token);
      return withEnvironment({ ...app.ctx, signal }, environment, actor);
    },
  });
  const url = await app.listen();
  const api: CarefulApp["api"] = async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, ...(text === "" ? {} : JSON.parse(text)) };
  };
  const open: CarefulApp["open"] = async (toolset, policy = {}, budget) => {
    const asked = { toolset, end_user_id: "ada", policy, budget };
    const { data: session } = await api("POST", "/agent/sessions", asked);
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${session.token}` } };
    const address = new URL(`/mcp/${toolset}`, url);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    const callTool: CallTool = async (name, args = {}) => {
      app.clock.advance(1);
      const result = await client.callTool({ name, arguments: { ...args } });
      const [content] = result.content;
      if (content?.type !== "text") throw new Error("the result has no text");
      return JSON.parse(content.text);
    };
    return { session, client, callTool };
  };
  return {
    ...{ app, url },
    get ctx() {
      return entered();
    },
    async enter(baseUrl) {
      app.clock.advance(MINUTE);
      ctx = await app.addEnvironment();
      const integration = await integrate(ctx, "crm", baseUrl);
      await connect(ctx, { integration, connectionId: "ada-crm", endUserId: "ada" });
    },
    api,
    async begin({ toolset = { preset: "careful" }, policy = {}, settings: more, budget } = {}) {
      const tools = [{ integration: "crm" }];
      const settings = { mode: "direct", tools, policy: toolset, ...more };
      const put = await api("PUT", "/agent/toolsets/helper", settings);
      if (put.status !== 200) throw new Error(JSON.stringify(put));
      const { session, client, callTool } = await open("helper", policy, budget);
      return { session, client, call: async (name, args) => await callTool(`crm__${name}`, args) };
    },
    open,
    decide: async (id, body = { decision: "approve" }) =>
      await api("POST", `/agent/approvals/${id}`, body),
    [Symbol.asyncDispose]: async () => await app[Symbol.asyncDispose](),
  };
}
