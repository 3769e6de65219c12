import { makeDataFolder, type PlatformProcess, startPlatformProcess } from "@jackfield/simulator";
import * as z from "zod";
import { newDeployment } from "./functions.ts";
import { type Marks, startMarks } from "./marks.ts";

/** One of two environments of an installation. */
export interface Neighbour {
  readonly id: string;
  readonly url: string;
  /** Resolves for every answer. */
  send(method: string, path: string, call?: Call): Promise<Answer>;
  /** Throws for an answer that is no success. */
  call(method: string, path: string, call?: Call): Promise<unknown>;
}

interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** An installation with an environment that takes what it gets, and one next to it. */
export interface Neighbours extends AsyncDisposable {
  readonly marks: Marks;
  readonly greedy: Neighbour;
  readonly other: Neighbour;
}

/** Small enough that one client fills it. */
const PROXY_CALLS = 100;
const CONNECTIONS = 60;

const created = z.object({
  data: z.object({ id: z.string(), api_key: z.object({ secret: z.string() }) }),
});

export async function startNeighbours(): Promise<Neighbours> {
  await using stack = new AsyncDisposableStack();
  const marks = stack.use(await startMarks());
  const folder = stack.use(await makeDataFolder());
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_PROXY_CALLS: String(PROXY_CALLS), SVC_LOG_LEVEL: "error" },
  });
  stack.defer(async () => void (await platform.stop()));
  const greedy = await addNeighbour(platform, marks, { name: "greedy", connections: CONNECTIONS });
  const other = await addNeighbour(platform, marks, { name: "other", connections: 20 });
  const running = stack.move();
  return {
    marks,
    greedy,
    other,
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function addNeighbour(
  platform: PlatformProcess,
  marks: Marks,
  { name, connections }: { name: string; connections: number },
): Promise<Neighbour> {
  const account = toNeighbour(platform.url, "", platform.keys.get("account") ?? "");
  const { data } = created.parse(await account.call("POST", "/environments", { body: { name } }));
  const neighbour = toNeighbour(platform.url, data.id, data.api_key.secret);
  for (const [key, provider] of Object.entries(integrations)) {
    const config = provider === "private-api-bearer" ? { base_url: marks.url } : undefined;
    const body = { provider, unique_key: key, integration_config: config };
    await neighbour.call("POST", "/integrations", { body });
  }
  const isGreedy = name === "greedy";
  if (!isGreedy) {
    const body = { primary_url: `${marks.url}/hook` };
    await neighbour.call("PATCH", "/environment/webhooks", { body });
  }
  await neighbour.call("POST", "/sync/deploy", { body: newDeployment(marks.url, isGreedy) });
  for (let nth = 0; nth < connections; nth += 1) await connect(neighbour, "calls", `c-${nth}`);
  if (!isGreedy)
    for (let nth = 0; nth < connections; nth += 1) await connect(neighbour, "api", `c-${nth}`);
  else await connect(neighbour, "api", "c-0");
  return neighbour;
}

/** `api` has the functions and webhooks, `events` what follows a creation, `calls` nothing. */
const integrations = {
  api: "unauthenticated",
  events: "unauthenticated",
  calls: "private-api-bearer",
} as const;

export async function connect(
  { call }: Neighbour,
  integration: keyof typeof integrations,
  id: string,
  more: object = {},
): Promise<void> {
  const credentials =
    integration === "calls" ? { type: "API_KEY", apiKey: "secret" } : { type: "NONE" };
  const body = { provider_config_key: integration, connection_id: id, credentials, ...more };
  await call("POST", "/connections", { body });
}

function toNeighbour(url: string, id: string, key: string): Neighbour {
  const send: Neighbour["send"] = async (method, path, { body, headers, signal } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    return { status: response.status, body: parse(text) };
  };
  return {
    id,
    url,
    send,
    async call(method, path, call) {
      const { status, body } = await send(method, path, call);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
