import { randomUUID } from "node:crypto";
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as sendRequest,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { type Connection, createConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { createIntegration, type Integration, type IntegrationInput } from "#integrations";
import { testServer } from "#testing";
import { proxy } from "../index.ts";

export interface Prepared {
  readonly integration: Integration;
  readonly connection: Connection;
}

/** A connection with the key `UPSTREAM`, of an API whose base is given. */
export async function prepareConnection(
  ctx: EnvironmentContext,
  { baseUrl, ...changes }: { baseUrl: string } & Partial<IntegrationInput>,
): Promise<Prepared> {
  const integration = await createIntegration(ctx, {
    provider: "private-api-bearer",
    uniqueKey: randomUUID(),
    displayName: undefined,
    forwardWebhooks: true,
    credentials: undefined,
    integrationConfig: baseUrl === "" ? {} : { base_url: baseUrl },
    custom: {},
    settings: {},
    ...changes,
  });
  const { connection } = await createConnection(ctx, {
    integration,
    connectionId: undefined,
    credentials: { type: "API_KEY", apiKey: "UPSTREAM" },
    metadata: undefined,
    connectionConfig: undefined,
    tags: undefined,
    webhookUrlOverride: undefined,
  });
  return { integration, connection };
}

export interface ProxyServer extends AsyncDisposable {
  readonly port: number;
  /** Who calls; a test may change it. */
  caller: EnvironmentContext;
  /** What is sent as the caller's key. */
  readonly key?: string;
}

/** The proxy's route on a port of loopback, as the server serves it. */
export async function startProxy(ctx: EnvironmentContext): Promise<ProxyServer> {
  const state = { caller: ctx };
  const served = await testServer(ctx, {
    routes: proxy.routes,
    caller: async ({ signal }) => ({ ...state.caller, signal }),
    bodyLimitBytes: 1000,
  });
  return Object.assign(state, {
    port: Number(new URL(await served.listen()).port),
    [Symbol.asyncDispose]: async () => await served[Symbol.asyncDispose](),
  });
}

export interface WireAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Name and value in turn; without what belongs to this hop alone. */
  readonly headers: string[];
  readonly trailers: string[];
  readonly body: Buffer;
}

interface CallOptions {
  readonly method?: string;
  readonly path?: string;
  /** Name and value in turn. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** A connection of its own unless given. */
  readonly agent?: Agent;
}

/** Opens a call; the body, if there is one, is the caller's to end. */
export function openCall(
  { port, key = "CALLER" }: Pick<ProxyServer, "port" | "key">,
  { integration, connection }: Prepared,
  { method = "GET", path = "/proxy/x", headers = [], agent }: CallOptions,
): ClientRequest {
  const own = [
    ...["Host", `127.0.0.1:${port}`, "Authorization", `Bearer ${key}`],
    ...["Provider-Config-Key", integration.uniqueKey, "Connection-Id", connection.connectionId],
  ];
  const flat = [...own, ...headers];
  const host = "127.0.0.1";
  return sendRequest({ host, port, method, path, agent: agent ?? false, headers: flat });
}

/** The head of the answer, once it is there. */
export async function waitForAnswer(call: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    call.on("response", resolve);
    call.on("error", reject);
  });
}

export async function callProxy(
  proxy: Pick<ProxyServer, "port" | "key">,
  prepared: Prepared,
  options: CallOptions = {},
): Promise<WireAnswer> {
  const length = Buffer.byteLength(options.body ?? "");
  const framing = options.body === undefined ? [] : ["Content-Length", String(length)];
  const headers = [...(options.headers ?? []), ...framing];
  const call = openCall(proxy, prepared, { ...options, headers });
  const answering = waitForAnswer(call);
  // As bytes: Node would write the head in the encoding of a text body.
  call.end(options.body === undefined ? undefined : Buffer.from(options.body));
  const answer = await answering;
  const body = await buffer(answer);
  return {
    status: answer.statusCode ?? 0,
    statusText: answer.statusMessage ?? "",
    headers: withoutHop(answer.rawHeaders),
    trailers: answer.rawTrailers,
    body,
  };
}

function withoutHop(flat: readonly string[]): string[] {
  return flat.filter((_, index) => {
    const name = flat[index - (index % 2)] ?? "";
    return !/^(connection|keep-alive|transfer-encoding)$/i.test(name);
  });
}
