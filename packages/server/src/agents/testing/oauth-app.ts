import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { actions } from "#actions";
import { connect as connectSlice } from "#connect";
import { connections } from "#connections";
import { environments } from "#environments";
import { type EnvironmentContext, withEnvironment } from "#foundation";
import { deployFunctions, functions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import type { Integration } from "#integrations";
import { proxy } from "#proxy";
import { type TestApp, testApp } from "#testing";
import { authenticateAgent } from "../sessions/authenticate-agent.ts";
import { withChallenge } from "../sessions/challenge.ts";
import { agents } from "../slice.ts";
import { connect, integrate } from "./accounts.ts";

export const REDIRECT = "http://127.0.0.1:1/callback";

/** The routes of agents over HTTP, with a toolset and an app that knows who is signed in. */
export interface OauthApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;
  readonly ctx: EnvironmentContext;
  readonly crm: Integration;
  /** Who is signed in at the customer's app; nobody: it does not approve. */
  signedIn: string | undefined;
  /** The last request that came to the customer's page. */
  asked: string | undefined;
  api(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>;
  deploy(
    name: string,
    body: string,
    agent?: "read" | "write" | "destructive" | Readonly<Record<string, unknown>>,
    input?: Record<string, unknown>,
  ): Promise<void>;
  /** Its answer. */
  putToolset(name: string, settings?: object): Promise<ReturnType<typeof JSON.parse>>;
}

export async function startOauthApp(
  options: Partial<Parameters<typeof testApp>[0]> = {},
): Promise<OauthApp> {
  const port = await findPort();
  const url = `http://127.0.0.1:${port}`;
  const app = await testApp({
    slices: [agents, actions, connections, connectSlice, environments, functions, proxy],
    runsFunctions: true,
    settings: { serverUrl: url, connectUrl: `${url}/connect` },
    caller: async ({ request, route, signal }) => {
      if (route.principals.includes("public")) return { ...app.ctx, signal };
      if (!route.principals.includes("agent")) return { ...app.ctx, signal };
      try {
        const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
        const { environment, actor } = await authenticateAgent(
          { ...app.ctx, signal },
          token,
          request.params,
        );
        return withEnvironment({ ...app.ctx, signal }, environment, actor);
      } catch (error) {
        throw withChallenge(app.ctx, error, request.params);
      }
    },
    ...options,
  });
  await app.server.listen({ host: "127.0.0.1", port });
  const { ctx } = app;
  const crm = await integrate(ctx, "crm");
  for (const person of ["ada", "bob"]) {
    const connectionId = `${person}-crm`;
    await connect(ctx, { integration: crm, connectionId, endUserId: person });
  }
  const deployed = new Map<string, ReturnType<typeof newAction>>();
  const api: OauthApp["api"] = async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const verifier = await startVerifier();
  const self: OauthApp = {
    ...{ app, url, ctx, crm, api },
    signedIn: "ada",
    asked: undefined,
    async deploy(name, body, agent, input) {
      const hints = typeof agent === "string" ? { effect: agent } : agent;
      const change = {
        ...(hints === undefined ? {} : { agent: hints }),
        ...(input === undefined
          ? {}
          : { input: "In", models_json_schema: { definitions: { In: input } } }),
      };
      deployed.set(name, newAction(name, { ...change, fileBody: newBundle("action", body) }));
      await deployFunctions(ctx, newUpload({ flowConfigs: [...deployed.values()] }));
    },
    async putToolset(name, settings = {}) {
      const answer = await api("PUT", `/agent/toolsets/${name}`, {
        ...{ mode: "direct", tools: [{ integration: "crm" }], authorization: { mode: "hosted" } },
        policy: { preset: "trusted" },
        ...settings,
      });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.data;
    },
    async [Symbol.asyncDispose]() {
      verifier.server.closeAllConnections();
      verifier.server.close();
      await app[Symbol.asyncDispose]();
    },
  };
  const verify = async (request: IncomingMessage, response: ServerResponse) => {
    const id = new URL(request.url ?? "", "http://x").searchParams.get("authorization_id");
    self.asked = id ?? undefined;
    const answer = await api("POST", `/agent/authorizations/${id}`, {
      end_user_id: self.signedIn ?? "nobody",
      approved: self.signedIn !== undefined,
    });
    if (answer.status === 200) {
      response.writeHead(303, { location: answer.body.data.continue_url }).end();
    } else {
      response.writeHead(403).end(JSON.stringify(answer.body));
    }
  };
  verifier.server.on("request", (request, response) => void verify(request, response));
  await api("PUT", "/agent/sign-in", { verifier_url: verifier.url, dynamic_registration: true });
  return self;
}

async function startVerifier(): Promise<{ server: Server; url: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${portOf(server)}/verify` };
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(server: Server): number {
  // It listens on a port, not on a socket file.
  return (server.address() as AddressInfo).port;
}
