import { JackfieldError } from "../jackfield-error.ts";

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's own key. */
  readonly token?: string | undefined;
}

const RETRIES = 2;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** Calls to one platform with one key: JSON both ways, errors typed, safe calls retried. */
export class HttpClient {
  readonly #host: string;
  readonly #apiKey: string;

  constructor(host: string, apiKey: string) {
    this.#host = host.replace(/(?<!\/)\/+$/, "");
    this.#apiKey = apiKey;
  }

  /** The parsed body of a success. */
  async json<Body>(call: Call): Promise<Body> {
    const response = await this.send(call, toInit(call));
    const text = await response.text();
    return parseBody<Body>(text);
  }

  /** The raw answer of a success; throws JackfieldError otherwise. */
  async send(call: Call, init: RequestInit): Promise<Response> {
    const response = await this.fetch(call, init);
    if (!response.ok) throw await toError(response);
    return response;
  }

  /** Any answer that arrives; reads, and changes with an idempotency key, are tried up to three times. */
  async fetch(call: Call, init: RequestInit): Promise<Response> {
    const isSafe = call.method === "GET" || call.idempotencyKey !== undefined;
    const url = `${this.#host}${call.path}${toQuery(call.query)}`;
    const headers = toHeaders({
      authorization: `Bearer ${call.token ?? this.#apiKey}`,
      "idempotency-key": call.idempotencyKey,
      ...call.headers,
    });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    for (let attempt = 0; ; attempt += 1) {
      const mayRetry = isSafe && attempt < RETRIES;
      const signal = call.signal ?? null;
      try {
        const response = await fetch(url, { ...init, method: call.method, headers, signal });
        if (!mayRetry || !isPassing(response)) return response;
        await response.body?.cancel();
        await wait(waitOf(response, attempt), call.signal);
      } catch (cause) {
        if (call.signal?.aborted === true) throw cause;
        if (!mayRetry) throw unreachable(this.#host, cause);
        await wait(backOff(attempt), call.signal);
      }
    }
  }
}

function toInit({ body }: Call): RequestInit {
  if (body === undefined) return {};
  return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}

function toHeaders(given: Readonly<Record<string, string | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

/** `a=1`, lists as repeated keys, objects as `tags[key]=value`; undefined and null are left out. */
export function toQuery(query: object = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value.map((item) => [name, String(item)]);
    if (typeof value !== "object") return [[name, String(value)]];
    return Object.entries(value).map(([key, item]) => [`${name}[${key}]`, String(item)]);
  });
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** Failures that pass by themselves, when they are the server's and not a provider's. */
function isPassing(response: Response): boolean {
  const { status, headers } = response;
  if (![429, 502, 503, 504].includes(status)) return false;
  const isProxied = new URL(response.url).pathname.startsWith("/proxy");
  const isOurs = headers.get("svc-error-source") === "platform" && !headers.has("svc-answered-by");
  return !isProxied || isOurs;
}

function waitOf(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get("retry-after"));
  return seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : backOff(attempt);
}

/** Milliseconds until another try. */
export function backOff(attempt: number): number {
  return FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random());
}

/** Resolves after a time; rejects with the signal's reason when that comes first. */
export async function wait(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function unreachable(host: string, cause: unknown): JackfieldError {
  return new JackfieldError({
    code: "network_error",
    message: `${host} cannot be reached: ${reasonOf(cause)}`,
    cause,
  });
}

// `fetch failed` says nothing; what stands below does, such as `connect ECONNREFUSED 127.0.0.1:3003`.
const DEEPEST = 5;

function reasonOf(error: unknown): string {
  let at = error;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    if (!(at instanceof Error)) break;
    const below = at instanceof AggregateError ? at.errors[0] : at.cause;
    if (!(below instanceof Error)) break;
    at = below;
  }
  return at instanceof Error ? at.message || at.name : String(at);
}

/** The error that a failed answer tells of. */
export async function toError(response: Response): Promise<JackfieldError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const { error } = asObject(tryParse(text));
  const { code: named, message, errors, data } = asObject(error);
  // Routes of JSON-RPC have numbers of their own, and the code in the data.
  const code = typeof named === "string" ? named : asObject(data)["code"];
  const seconds = response.headers.get("retry-after");
  return new JackfieldError({
    status,
    retryAfter: seconds === null ? undefined : Number(seconds),
    code: typeof code === "string" ? code : "unexpected_answer",
    message: typeof message === "string" ? message : `The server answered with ${status}.`,
    errors: Array.isArray(errors) ? errors : [],
  });
}

export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object(value) : {};
}

// The contract says what each route answers; a test compares the types here with it.
function parseBody<Body>(text: string): Body {
  return (text === "" ? undefined : JSON.parse(text)) as Body;
}
