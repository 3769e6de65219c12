import { type SimulatedMcpServer, startMcpServer } from "@jackfield/simulator";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { actions } from "../../../packages/server/src/actions/index.ts";
import { agents, authenticateAgent } from "../../../packages/server/src/agents/index.ts";
import { connections } from "../../../packages/server/src/connections/index.ts";
import { environments } from "../../../packages/server/src/environments/index.ts";
import {
  type EnvironmentContext,
  type McpLimits,
  MINUTE,
  withEnvironment,
} from "../../../packages/server/src/foundation/index.ts";
import { functions } from "../../../packages/server/src/functions/index.ts";
import { integrations } from "../../../packages/server/src/integrations/index.ts";
import { proxy } from "../../../packages/server/src/proxy/index.ts";
import { type TestApp, testApp } from "../../../packages/server/src/testing/index.ts";
import { webhooksOut } from "../../../packages/server/src/webhooks-out/index.ts";

/** What the tests look at; whether it is there is for them to say. */
export type Answer = ReturnType<typeof JSON.parse>;

/** A platform whose agents act for end users at the integration `desk`, an MCP server. */
export interface UpstreamApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly ctx: EnvironmentContext;
  readonly url: string;
  readonly desk: SimulatedMcpServer;
  /** An environment of its own, with a server of its own. */
  enter(): Promise<void>;
  api(method: string, path: string, body?: object): Promise<Answer>;
  /** Connects an end user, and reads the list of tools. */
  connect(connectionId: string, endUserId: string, apiKey?: string): Promise<void>;
  /** Reads the list again. */
  refresh(connectionId?: string): Promise<string | null>;
  begin(options?: {
    policy?: object;
    endUserId?: string;
    capabilities?: object;
    mode?: "direct" | "search" | "code";
    era?: "auto" | "legacy";
  }): Promise<Session>;
}

export interface Session {
  readonly session: Answer;
  readonly client: Client;
  list(): Promise<string[]>;
  /** The result's text as JSON. */
  call(name: string, args?: object): Promise<Answer>;
}

export async function startUpstreamApp(
  settings: { readonly mcpLimits?: McpLimits } = {},
): Promise<UpstreamApp> {
  let ctx: EnvironmentContext | undefined;
  let desk: SimulatedMcpServer | undefined;
  const need = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("enter an environment first");
    return value;
  };
  const app = await testApp({
    slices: [
      ...[agents, actions, connections, environments, functions, integrations, proxy, webhooksOut],
    ],
    settings,
    runsFunctions: true,
    caller: async ({ request, route, signal }) => {
      if (!route.principals.includes("agent")) return { ...need(ctx), signal };
      const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
      const { environment, actor } = await authenticateAgent(app.ctx, token);
      return withEnvironment({ ...app.ctx, signal }, environment, actor);
    },
  });
  const url = await app.listen();
  const api: UpstreamApp["api"] = async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, ...(text === "" ? {} : JSON.parse(text)) };
  };
  const must = async (method: string, path: string, body: object): Promise<Answer> => {
    const answer = await api(method, path, body);
    if (answer.status >= 300) throw new Error(JSON.stringify(answer));
    return answer;
  };
  const refresh: UpstreamApp["refresh"] = async (connectionId = "ada-desk") => {
    const body = { connection_id: connectionId };
    return (await must("POST", "/agent/upstreams/desk/refresh", body)).data.failure;
  };
  return {
    app,
    url,
    api,
    refresh,
    get ctx() {
      return need(ctx);
    },
    get desk() {
      return need(desk);
    },
    async enter() {
      app.clock.advance(MINUTE);
      await desk?.[Symbol.asyncDispose]();
      desk = await startMcpServer();
      ctx = await app.addEnvironment();
      const integration = { unique_key: "desk", provider: "mcp-api-key" };
      await must("POST", "/integrations", { ...integration, display_name: "Help desk" });
    },
    async connect(connectionId, endUserId, apiKey = need(desk).key) {
      await must("POST", "/connections", {
        ...{ provider_config_key: "desk", connection_id: connectionId },
        connection_config: { mcp_server_url: need(desk).url },
        ...{ tags: { end_user_id: endUserId }, credentials: { type: "API_KEY", apiKey } },
      });
      await refresh(connectionId);
    },
    async begin({ policy, endUserId = "ada", capabilities, mode = "direct", era = "auto" } = {}) {
      const toolset = {
        ...{ mode, tools: [{ integration: "desk" }] },
        policy: policy ?? { preset: "trusted" },
      };
      await must("PUT", "/agent/toolsets/helper", toolset);
      const asked = { toolset: "helper", end_user_id: endUserId };
      const { data: session } = await api("POST", "/agent/sessions", asked);
      const client = new Client(
        { name: "test", version: "1" },
        {
          versionNegotiation: { mode: era },
          inputRequired: { autoFulfill: false },
          ...(capabilities === undefined ? {} : { capabilities: { ...capabilities } }),
        },
      );
      const requestInit = { headers: { authorization: `Bearer ${session.token}` } };
      const address = new URL("/mcp/helper", url);
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
      return {
        ...{ session, client },
        list: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: async (name, args = {}) => {
          app.clock.advance(1);
          const result = await client.callTool({ name, arguments: { ...args } });
          const [content] = result.content;
          if (content?.type !== "text") throw new Error("the result has no text");
          return JSON.parse(content.text);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await desk?.[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}
