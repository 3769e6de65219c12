import { Worker } from "node:worker_threads";
import { bodyKindOf, bodyLimits, type RouteDefinition, routes } from "@jackfield/contract";
import { slowness } from "../../cpu-time.ts";
import { type ApiUnderTest, startApi } from "../api-under-test.ts";
import { operations, sampleRequest } from "../sample-request.ts";
import type { Errand, Outcome } from "./client-thread.ts";
import type { ShapeName } from "./shapes.ts";

/** A server, and requests whose cost for its main thread is measured. */
export interface CostSweep extends AsyncDisposable {
  readonly api: ApiUnderTest;
  readonly keys: Readonly<Record<"dev" | "account" | "session" | "agent", string>>;
  send(errand: Errand): Promise<Outcome>;
  /**
   * The cheapest of up to three times, where the first are over the bound (milliseconds for bytes sent): the first
   * request pays for garbage collection and machine code.
   */
  measure(errand: Errand, bound?: (sentBytes: number) => number): Promise<Measured>;
}

export interface Measured extends Outcome {
  /** Of the main thread, which is the server's. */
  readonly cpuMs: number;
}

const MEGABYTE = 1e6;

/** 50 ms a megabyte and 250 ms at most; below that what a request costs at all, with a pause for garbage. */
export function mayCost(bytes: number): number {
  return Math.min(250, 40 + (50 * bytes) / MEGABYTE);
}

export const LARGEST_REFUSAL = 64 * 1024;

export async function startSweep(): Promise<CostSweep> {
  const api = await startApi();
  const dev = await api.keyOf("dev", ["environment:*"]);
  const account = await api.keyOf("account", ["account:*"]);
  await makeWhatIsNamed(api.url, dev);
  const session = await openSession(api.url, dev);
  const agent = await openAgentSession(api.url, dev);
  const client = new Worker(new URL("./client-thread.ts", import.meta.url), { execArgv: [] });
  const send = async (errand: Errand) =>
    await new Promise<Outcome>((resolve) => {
      client.once("message", resolve);
      client.postMessage(errand);
    });
  const once = async (errand: Errand): Promise<Measured> => {
    const before = process.threadCpuUsage();
    const outcome = await send(errand);
    const { user, system } = process.threadCpuUsage(before);
    return { ...outcome, cpuMs: (user + system) / 1000 };
  };
  return {
    api,
    keys: { dev, account, session, agent },
    send,
    async measure(errand, bound = mayCost) {
      let cheapest = await once(errand);
      for (let again = 0; again < 2 && cheapest.cpuMs > bound(cheapest.sentBytes); again += 1) {
        const next = await once(errand);
        if (next.cpuMs < cheapest.cpuMs) cheapest = next;
      }
      const isDear = cheapest.cpuMs > bound(cheapest.sentBytes);
      return isDear ? { ...cheapest, cpuMs: cheapest.cpuMs / slowness() } : cheapest;
    },
    async [Symbol.asyncDispose]() {
      await client.terminate();
      await api[Symbol.asyncDispose]();
    },
  };
}

const json = { "content-type": "application/json" };

async function create(url: string, key: string, body: object): Promise<unknown> {
  const headers = { ...json, authorization: `Bearer ${key}` };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return await response.json();
}

async function makeWhatIsNamed(url: string, key: string): Promise<void> {
  const integration_config = { base_url: "https://api.example.com" };
  const integration = { unique_key: "crm", provider: "private-api-bearer", integration_config };
  await create(`${url}/integrations`, key, integration);
  const credentials = { type: "API_KEY", apiKey: "k" };
  const connection = { provider_config_key: "crm", connection_id: "acme", credentials };
  await create(`${url}/connections`, key, connection);
}

async function openSession(url: string, key: string): Promise<string> {
  const answer = await create(`${url}/connect/sessions`, key, { tags: { end_user_id: "1" } });
  return String(Object(answer).data.token);
}

async function openAgentSession(url: string, key: string): Promise<string> {
  await fetch(`${url}/agent/toolsets/helper`, {
    method: "PUT",
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ tools: [{ integration: "crm" }], policy: { preset: "trusted" } }),
  });
  const body = { toolset: "helper", end_user_id: "1" };
  const answer = await create(`${url}/agent/sessions`, key, body);
  return String(Object(answer).data.token);
}

/** A route with what a request of it takes. */
export interface SweptRoute {
  readonly route: RouteDefinition;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sample: unknown;
  readonly names: readonly string[];
}

const ids = {
  provider: "private-api-bearer",
  unique_key: "crm",
  uniqueKey: "crm",
  provider_config_key: "crm",
  providerConfigKey: "crm",
  "provider-config-key": "crm",
  connectionId: "acme",
  connection_id: "acme",
  "connection-id": "acme",
  toolset: "helper",
};

// The proxy passes bodies on, webhooks are tried where they are handled, and streams stay open.
const elsewhere = new Set([
  "proxyRequest",
  "receiveWebhook",
  "streamConnectSessionEvents",
  "streamEvents",
  "streamRecords",
]);

/** Every route of the contract, each at its own path. */
export const sweptRoutes: readonly (readonly [string, SweptRoute])[] = Object.entries(routes)
  .filter(([name]) => !elsewhere.has(name))
  .flatMap(([name, route]) => {
    const described = operations.find(({ operation: { operationId } }) =>
      [name, `${name}_post`].includes(operationId),
    );
    if (described === undefined) return [];
    const { method, path, headers, body } = sampleRequest(described, ids);
    const schema = described.operation.requestBody?.content["application/json"]?.schema;
    const names = Object.keys(Object(Object(schema)["properties"]));
    return [[name, { route, method, path, headers, sample: body, names }] as const];
  });

export function takesBody({ route }: SweptRoute): boolean {
  return (route.body !== undefined || route.method === "ANY") && route.form !== true;
}

/** The request of a shape, of so many bytes at most, with the credentials that the route asks for. */
export function toErrand(
  { api, keys }: Pick<CostSweep, "api" | "keys">,
  swept: SweptRoute,
  { shape, mostBytes }: { shape: ShapeName; mostBytes: number },
): Errand {
  const { route, sample, names } = swept;
  const kind = bodyKindOf(route);
  const limit = kind === "stream" ? bodyLimits.ordinary : bodyLimits[kind];
  const bytes = Math.min(limit.bytes * 0.95, mostBytes);
  const values = Math.min(limit.values, limit.names);
  return {
    ...toHead({ url: api.url, keys }, swept),
    body: { shape, bytes, values, sample, names },
  };
}

function holderOf({ principals }: RouteDefinition): keyof CostSweep["keys"] {
  if (principals.includes("environment")) return "dev";
  if (principals.includes("session")) return "session";
  return principals.includes("agent") ? "agent" : "account";
}

export function toHead(
  { url, keys }: { url: string; keys: CostSweep["keys"] },
  { route, method, path, headers }: SweptRoute,
): Errand {
  const key = keys[holderOf(route)];
  const token =
    route.sessionInQuery === true
      ? `${path.includes("?") ? "&" : "?"}connect_session_token=${keys.session}`
      : "";
  return {
    url: `${url}${path}${token}`,
    method,
    headers: { ...headers, ...json, authorization: `Bearer ${key}` },
  };
}
