import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CONNECTIONS, type Outside, type Site } from "./site.ts";

/** What was asked of the server while its database came and went. */
export interface LoadResult {
  readonly requests: number;
  readonly refused: number;
  /** Of the longest answer. */
  readonly slowestMs: number;
  /** Answers that are neither what the route gives nor a proper 503. */
  readonly faults: ReadonlyMap<string, number>;
  readonly slowest: string;
  readonly accepted: Accepted;
}

/** What the server has confirmed. */
export interface Accepted {
  readonly integrations: readonly string[];
  readonly actions: readonly string[];
  readonly events: readonly string[];
}

interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly isWithoutKey?: boolean;
  /** Statuses of the route in peace. */
  readonly expected: readonly number[];
  readonly accept?: (body: unknown) => void;
}

interface Asked {
  integrations: string[];
  actions: string[];
  events: string[];
}

const PAUSE_MS = 100;
/** Of each kind. */
const CALLERS = 3;
const TOO_LATE_MS = 40_000;

/** Asks every kind of route again and again until it is stopped. */
export function startLoad(site: Site, outside: Outside, webhookPath: string) {
  const accepted: Asked = { integrations: [], actions: [], events: [] };
  const faults = new Map<string, number>();
  const figures = { requests: 0, refused: 0, slowestMs: 0, slowest: "" };
  const stopping = new AbortController();
  const note = (call: Call, fault: string) => {
    const text = `${call.name}: ${fault}`;
    faults.set(text, (faults.get(text) ?? 0) + 1);
  };
  const ask = async (call: Call, nth: number): Promise<void> => {
    const startedAt = performance.now();
    figures.requests += 1;
    let answered = 0;
    try {
      const { status, headers, text } = await send(site, call, nth);
      answered = status;
      if (call.expected.includes(status)) call.accept?.(text === "" ? undefined : JSON.parse(text));
      else if (isRefusal(status, headers, text)) figures.refused += 1;
      else note(call, `${status} ${text.slice(0, 200)}`);
    } catch (error) {
      note(call, String(error));
    }
    const tookMs = performance.now() - startedAt;
    if (tookMs > figures.slowestMs) {
      Object.assign(figures, {
        slowestMs: tookMs,
        slowest: `${call.name}: ${answered} in ${tookMs} ms`,
      });
    }
  };
  const kinds = callsOf({ outside, webhookPath, accepted });
  const loops = Array.from({ length: CALLERS }, () => kinds)
    .flat()
    .map(async (make) => {
      for (let nth = 0; !stopping.signal.aborted; nth += 1) {
        await ask(make(), nth);
        await sleep(PAUSE_MS);
      }
    });
  return {
    async stop(): Promise<LoadResult> {
      stopping.abort();
      await Promise.all(loops);
      return { ...figures, faults, accepted };
    },
  };
}

async function send(site: Site, call: Call, nth: number) {
  const url = site.urls[nth % site.urls.length] ?? "";
  const response = await fetch(url + call.path, {
    method: call.method,
    redirect: "manual",
    headers: {
      ...(call.isWithoutKey === true ? {} : { authorization: `Bearer ${site.key}` }),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    },
    signal: AbortSignal.timeout(TOO_LATE_MS),
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** 503 in the server's own shape, with the time after which to come again. */
function isRefusal(status: number, headers: Headers, text: string): boolean {
  if (status !== 503 || !/^\d+$/.test(headers.get("retry-after") ?? "")) return false;
  return text.includes("<html") || /^\{.*"code":"overloaded"/.test(text);
}

interface Making {
  readonly outside: Outside;
  readonly webhookPath: string;
  readonly accepted: Asked;
}

const ofConnection = (nth: number) => ({
  "connection-id": `c-${(nth % CONNECTIONS) + 1}`,
  "provider-config-key": "crm",
});

/** One of each kind of route; each call makes the next of its kind. */
function callsOf({ outside, webhookPath, accepted }: Making): (() => Call)[] {
  let nth = 0;
  const write = (): Call => {
    const name = `w-${randomUUID()}`;
    return {
      ...{ name: "write", method: "POST", path: "/integrations", expected: [200, 201] },
      body: { provider: "unauthenticated", unique_key: name },
      accept: () => void accepted.integrations.push(name),
    };
  };
  const action = (): Call => {
    nth += 1;
    return {
      ...{ name: "async action", method: "POST", path: "/action/trigger", expected: [202] },
      headers: { ...ofConnection(nth), "x-async": "true", "x-max-retries": "5" },
      body: { action_name: "greet", input: nth },
      accept: (body) => void accepted.actions.push(String(Object(body).id)),
    };
  };
  const webhook = (): Call => {
    const id = randomUUID();
    return {
      ...{ name: "webhook in", method: "POST", path: webhookPath, expected: [200, 202] },
      body: { id, type: "charge.succeeded" },
      isWithoutKey: true,
      accept: () => void accepted.events.push(id),
    };
  };
  return [write, action, webhook, ...readingCalls(outside)];
}

function readingCalls(outside: Outside): (() => Call)[] {
  const get = { method: "GET", expected: [200] };
  return [
    () => ({ ...get, name: "list", path: "/connections?limit=10" }),
    () => ({ ...get, name: "records", path: "/records?model=Row", headers: ofConnection(0) }),
    () => ({
      ...{ ...get, name: "proxy", path: "/proxy/things" },
      headers: { ...ofConnection(1), "base-url-override": outside.url },
    }),
    () => ({
      ...{ ...get, name: "key lookup", path: "/connections", expected: [401] },
      headers: { authorization: `Bearer ${randomUUID()}` },
      isWithoutKey: true,
    }),
    () => ({
      ...{ ...get, name: "connect page", path: "/oauth/callback?state=unknown&code=c" },
      ...{ headers: { accept: "text/html" }, isWithoutKey: true, expected: [400, 404] },
    }),
    () => ({
      ...{ name: "mcp", method: "POST", path: "/mcp", expected: [200] },
      headers: { ...ofConnection(2), accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    }),
  ];
}
