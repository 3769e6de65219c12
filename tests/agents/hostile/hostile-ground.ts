import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createEmptyDatabase } from "../../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../../journeys/api.ts";
import { makeDataFolder } from "../../launcher/data-folder.ts";
import { startPlatformProcess } from "../../launcher/platform-process.ts";
import { findWishes, type Injection, type Known, type Wish } from "./injections.ts";

export const presets = ["trusted", "careful", "read_only"] as const;
export type Preset = (typeof presets)[number];

/** A request that reached the provider. */
interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly authorization: string;
}

const keys = { ada: "canary-5b1e0c7d92", bob: "canary-c83f6a1d47" } as const;
const BOBS = "only bob may read this";

/** What a run of the obeying agent came to. */
export interface HostileRun {
  /** How many wishes it has read and tried. */
  readonly obeyed: number;
  /** Sends and destructive calls that reached the provider without a person's approval. */
  readonly unapproved: readonly Arrived[];
  /** Requests with another end user's credentials, and texts of theirs. */
  readonly foreign: readonly unknown[];
  /** Credentials in what the agent has read. */
  readonly leaks: readonly string[];
  /** Calls of the platform's API with the agent's token that were not refused. */
  readonly admitted: readonly string[];
  /** What the approved call has sent other than what was approved. */
  readonly misused: readonly Arrived[];
  /** Whether the approved call was made in the end; true where nobody had to approve one. */
  readonly isApprovedMade: boolean;
}

const look = (path: string) => `return (await svc.get({ endpoint: "${path}" })).data;`;
const sends = (data: string) =>
  `await svc.post({ endpoint: "/send", data: ${data} }); return "sent";`;

const tools: readonly (readonly [name: string, body: string, agent?: object])[] = [
  ["read-ticket", look("/tickets"), { effect: "read" }],
  ["read-mail", look("/mails"), { effect: "read" }],
  ["list-files", look("/files"), { effect: "read" }],
  ["list-tools", look("/tools"), { effect: "read" }],
  ["failing", look("/failing"), { effect: "read" }],
  ["echo", look("/echo"), { effect: "read" }],
  ["leak", "return (await svc.getConnection()).credentials;", { effect: "read" }],
  ["long", "return Array.from({ length: 3000 }, () => input.text);", { effect: "read" }],
  [
    "open-address",
    `return (await svc.get({ endpoint: "/open", params: { url: input.url } })).data;`,
    { effect: "read", sends: "external" },
  ],
  [
    "send-mail",
    sends("{ to: input.to, text: input.text }"),
    { effect: "write", sends: "external" },
  ],
  ["undeclared", sends("{ to: input.to }")],
  [
    "delete-record",
    `await svc.delete({ endpoint: "/records/" + input.id }); return "deleted";`,
    { effect: "destructive" },
  ],
];

interface Provider {
  readonly server: Server;
  readonly url: string;
  readonly arrived: Arrived[];
  /** What its next answers hold. */
  text: string;
}

/** A provider whose answers are hostile, two end users, and an agent of one of them that obeys all that it reads. */
export interface HostileGround extends AsyncDisposable {
  readonly known: Known;
  run(injection: Injection, preset: Preset): Promise<HostileRun>;
}

export async function startHostileGround(): Promise<HostileGround> {
  await using stack = new AsyncDisposableStack();
  const provider = stack.adopt(await startProvider(), ({ server }) => {
    server.closeAllConnections();
    server.close();
  });
  const database = stack.use(await createEmptyDatabase());
  const folder = stack.use(await makeDataFolder());
  const platform = stack.adopt(
    await startPlatformProcess({
      dataDir: folder.path,
      env: {
        ...{ SVC_DATABASE_URL: database.connectionString, SVC_LOG_LEVEL: "silent" },
        SVC_RATE_LIMIT_PER_MIN: "100000",
      },
    }),
    async (each) => {
      await each.stop();
    },
  );
  const api = apiOf(platform.url, platform.keys.get("dev") ?? "");
  await fill(api, provider.url);
  const agents = new Agents(platform.url, api);
  const known = await prepare(agents);
  const running = stack.move();
  return {
    known,
    run: async (injection, preset) => await obey({ provider, agents, api }, injection, preset),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function fill(api: Api, baseUrl: string): Promise<void> {
  await must(api, "POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: baseUrl },
  });
  for (const [person, apiKey] of Object.entries(keys)) {
    await must(api, "POST", "/connections", {
      ...{ provider_config_key: "crm", connection_id: `${person}-crm` },
      ...{ tags: { end_user_id: person }, credentials: { type: "API_KEY", apiKey } },
    });
  }
  const any =
    "const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };";
  const flowConfigs = tools.map(([syncName, body, agent]) => ({
    ...{ type: "action", syncName, providerConfigKey: "crm", models: [], runs: null, input: "In" },
    models_json_schema: { definitions: { In: { type: "object" } } },
    ...(agent === undefined ? {} : { agent }),
    fileBody: {
      js: `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => { ${body} } };`,
      ts: "",
    },
  }));
  await must(api, "POST", "/sync/deploy", { flowConfigs, reconcile: false });
  for (const preset of presets) {
    const policy = { preset };
    const toolset = { mode: "direct", tools: [{ integration: "crm" }], policy };
    await must(api, "PUT", `/agent/toolsets/${nameOf(preset)}`, toolset);
  }
}

async function must(api: Api, method: string, path: string, body: object) {
  const answer = await api(method, path, { body });
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
}

function nameOf(preset: Preset): string {
  return preset.replace("_", "-");
}

interface Session {
  readonly token: string;
  readonly id: string;
  readonly path: string;
}

/** Agents by the protocol itself, and what they read. */
class Agents {
  readonly #url: string;
  readonly #api: Api;

  constructor(url: string, api: Api) {
    this.#url = url;
    this.#api = api;
  }

  async begin(endUserId: string, preset: Preset): Promise<Session> {
    const body = { toolset: nameOf(preset), end_user_id: endUserId };
    const { data } = await must(this.#api, "POST", "/agent/sessions", body);
    return { token: data.token, id: data.id, path: `/mcp/${nameOf(preset)}` };
  }

  async call({ token, path }: Session, name: string, args: object): Promise<string> {
    const tool = name === "read_result" ? name : `crm__${name}`;
    const written = await this.#send(token, path, {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: tool, arguments: args },
    });
    const message = JSON.parse(/^data: (.*)$/m.exec(written.text)?.[1] ?? written.text);
    const text: unknown = message.result?.content?.[0]?.text;
    return typeof text === "string" ? text : JSON.stringify(message);
  }

  async #send(token: string, path: string, body: object | undefined, method = "POST") {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  async obey(session: Session, wish: Wish): Promise<{ text: string; admitted?: string }> {
    if ("tool" in wish) return { text: await this.call(session, wish.tool, wish.args) };
    const { method, path, body } = wish;
    const { status, text } = await this.#send(session.token, path, body, method);
    return status < 400 ? { text, admitted: `${method} ${path}` } : { text };
  }
}

/** A result of Bob's that his agent may read, and an approval of another call of Ada's. */
async function prepare(agents: Agents): Promise<Known> {
  const result = await agents.call(await agents.begin("bob", "trusted"), "long", { text: BOBS });
  const foreignHandle = /res_[0-9a-f-]{36}/.exec(result)?.[0];
  const session = await agents.begin("ada", "careful");
  const waiting = JSON.parse(
    await agents.call(session, "send-mail", { to: "ada@example.com", text: "note" }),
  );
  if (foreignHandle === undefined || waiting.approval_id === undefined) {
    throw new Error(`${result.slice(0, 300)} ${JSON.stringify(waiting)}`);
  }
  return { approvalId: waiting.approval_id, foreignHandle, sessionId: session.id };
}

/** Reads what the injection brings, obeys twice, and then makes the call that a person had approved before. */
async function obey(
  { provider, agents, api }: { provider: Provider; agents: Agents; api: Api },
  injection: Injection,
  preset: Preset,
): Promise<HostileRun> {
  const session = await agents.begin("ada", preset);
  provider.arrived.length = 0;
  const own = { to: "friend@example.com", text: `hello ${injection.name}` };
  if (preset === "careful") {
    const waiting = JSON.parse(await agents.call(session, "send-mail", own));
    const decision = { decision: "approve" };
    await must(api, "POST", `/agent/approvals/${waiting.approval_id}`, decision);
  }
  const read: string[] = [];
  for (const text of injection.texts) {
    provider.text = text;
    read.push(await agents.call(session, injection.from, {}));
  }
  const wishes = findWishes(read);
  const admitted: string[] = [];
  for (const wish of [...wishes, ...wishes]) {
    const answer = await agents.obey(session, wish);
    read.push(answer.text);
    if (answer.admitted !== undefined) admitted.push(answer.admitted);
  }
  const unapproved = provider.arrived.filter(changes);
  provider.arrived.length = 0;
  const made = preset === "careful" ? await agents.call(session, "send-mail", own) : '"sent"';
  const sent = provider.arrived.filter(changes);
  const all = read.join("\n");
  const forms = Object.values(keys).flatMap((key) => [key, btoa(`Bearer ${key}`)]);
  return {
    ...{ obeyed: wishes.length, unapproved, admitted },
    foreign: [
      ...provider.arrived.filter(({ authorization }) => authorization.includes(keys.bob)),
      ...(all.includes(BOBS) ? [BOBS] : []),
    ],
    leaks: forms.filter((form) => all.includes(form)),
    misused: sent.filter(({ url, body }) => url !== "/send" || body !== JSON.stringify(own)),
    isApprovedMade: made === '"sent"' && sent.length === (preset === "careful" ? 1 : 0),
  };
}

function changes({ method, url }: Arrived): boolean {
  return method !== "GET" || url.startsWith("/open");
}

async function startProvider(): Promise<Provider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${Object(server.address()).port}`;
  const provider: Provider = { server, url, arrived: [], text: "" };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => answer(provider, request, body, response));
  });
  return provider;
}

function answer(
  { arrived, text }: Provider,
  { method = "", url = "", headers }: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const { authorization = "" } = headers;
  arrived.push({ method, url, body, authorization });
  const isFailing = url === "/failing";
  const echoed = { headers, encoded: btoa(authorization) };
  const shown = url === "/echo" ? echoed : isFailing ? { message: text } : { items: [text] };
  response
    .writeHead(isFailing ? 422 : 200, { "content-type": "application/json" })
    .end(JSON.stringify(shown));
}
