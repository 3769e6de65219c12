import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type McpHttpHandler,
  type Server,
} from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type EnvironmentContext, messageOf, stopping } from "#foundation";
import type { DatabaseAway } from "#foundation/db";
import { type Bucket, rateLimiter } from "#gateway";
import { requireOwnOrigin, requireSingleMessage } from "./check-request.ts";
import { admitListener } from "./listening/listeners.ts";
import { type ShownLists, watchLists } from "./listening/watch-lists.ts";
import type { OnAway } from "./own-words.ts";
import { canFillForms } from "./questions/ask-user.ts";
import { ClientChannel, takeClientAnswer } from "./questions/client-channel.ts";

/** What a server for one request is made with. */
export interface ServerParts {
  readonly onAway: OnAway;
  /** To ask the client's user while a call continues; undefined for clients that cannot be asked so. */
  readonly channel: ClientChannel | undefined;
  /** Whether the client can hear of changes: earlier revisions need a session for it. */
  readonly canListen: boolean;
  /** Whether the client asks who the server is. */
  readonly isFirst: boolean;
}

interface Message {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: unknown;
}

/** Refuses pages of other origins and batches where there are none, and counts each message of a batch as a call. */
export async function admitMessage(
  ctx: EnvironmentContext,
  { request, reply, body, bucket }: Message & { readonly bucket: Bucket },
): Promise<void> {
  requireOwnOrigin(ctx, request.headers.origin);
  requireSingleMessage(body, request.headers["mcp-protocol-version"]);
  const { accountId } = ctx.environment;
  const tell = (reported: Readonly<Record<string, string>>) => void reply.headers(reported);
  await rateLimiter
    .of(ctx)
    .admit(ctx, { accountId, bucket, request: request.raw, calls: countMessages(body), tell });
}

interface Served extends Message {
  readonly path: string;
  readonly owner: string;
  /** Whether the tool of this name cannot do without asking its user. */
  readonly asksAlways: (name: string) => Promise<boolean>;
  readonly lists: ShownLists;
}

/** What is refused for want of a capability says so by its status, and therefore before it begins. */
async function isRefused(body: unknown, asksAlways: Served["asksAlways"]): Promise<boolean> {
  const { name, _meta: meta } = { ...Object(Object(body).params) };
  const capabilities = Object(meta)[CLIENT_CAPABILITIES_META_KEY];
  if (typeof name !== "string" || capabilities === undefined) return false;
  return !canFillForms(capabilities?.elicitation) && (await asksAlways(name));
}

/** Answers a message of the protocol by a server that is made for it; `owner` is who may answer its questions. */
export async function serveMessage(
  ctx: EnvironmentContext,
  { request, reply, body, path, owner, asksAlways, lists }: Served,
  createServer: (parts: ServerParts) => Server,
): Promise<void> {
  if (await takeClientAnswer(ctx, owner, body)) {
    await reply.status(202).send("");
    return;
  }
  let away: DatabaseAway | undefined;
  const onAway = (error: DatabaseAway) => {
    away = error;
  };
  const channel = mayFillForms(request) ? new ClientChannel(owner) : undefined;
  using _listener = isListen(body) ? admitListener(ctx, owner) : undefined;
  const createFor = ({ era }: { era: "legacy" | "modern" }) =>
    createServer({ onAway, channel, canListen: era === "modern", isFirst: isFirst(body) });
  const handler = createMcpHandler(createFor, {
    // A call may take minutes, and its caller is to know at once that it has begun.
    responseMode: isCall(body) && !(await isRefused(body, asksAlways)) ? "sse" : "auto",
    onerror: (error) => ctx.log.debug("mcp.request_refused", { reason: messageOf(error) }),
  });
  try {
    const message = toWebRequest(request, `${ctx.settings.serverUrl}${path}`, ctx.signal);
    const response = await handler.fetch(message, { parsedBody: body });
    // Of a batch others may have been called.
    if (away !== undefined && countMessages(body) === 1) throw away;
    const sessionId = nameSession(body);
    if (sessionId !== undefined && response.ok) reply.header(SESSION, sessionId);
    if (isListen(body) && isStream(response)) {
      await listen(ctx, lists, { handler, reply, response });
    } else {
      await sendWebResponse(reply, response, channel);
    }
  } finally {
    await handler.close();
  }
}

/** The answer continues until nothing more may be said; the client then listens again. */
async function listen(
  ctx: EnvironmentContext,
  lists: ShownLists,
  {
    handler,
    reply,
    response,
  }: { handler: McpHttpHandler; reply: FastifyReply; response: Response },
): Promise<void> {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, ctx.signal, stopping.of(ctx).signal]);
  const watching = watchAndClose(ctx, lists, { handler, signal });
  try {
    // Kept alive after a stream that ends as the server stops, it would hold the stop up.
    await sendWebResponse(reply.header("connection", "close"), response, undefined);
  } finally {
    gone.abort();
    await watching;
  }
}

async function watchAndClose(
  ctx: EnvironmentContext,
  lists: ShownLists,
  { handler, signal }: { handler: McpHttpHandler; signal: AbortSignal },
): Promise<void> {
  try {
    await watchLists(ctx, lists, { notify: handler.notify, signal });
  } catch (error) {
    ctx.log.warn("mcp.listening_failed", { reason: messageOf(error) });
  } finally {
    await handler.close();
  }
}

/** What a request without a name of its client says of it. */
export function readAgent({ headers }: FastifyRequest): string | undefined {
  return headers["user-agent"]?.slice(0, LONGEST_CLIENT);
}

export async function refuseMethod(reply: FastifyReply): Promise<void> {
  const error = { code: -32_000, message: "Method not allowed: this server keeps no sessions." };
  await reply.status(405).header("allow", "POST").send({ jsonrpc: "2.0", error, id: null });
}

const LONGEST_CLIENT = 200;

function countMessages(body: unknown): number {
  return Array.isArray(body) ? body.length : 1;
}

function isFirst(body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((each) => firstMethods.has(Object(each).method));
}

const firstMethods: ReadonlySet<unknown> = new Set(["initialize", "server/discover"]);

function isListen(body: unknown): boolean {
  return Object(body).method === "subscriptions/listen";
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

function isCall(body: unknown): boolean {
  return Object(body).method === "tools/call";
}

const passed = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

/** Without the caller's key, and without a body: it has been read and parsed. */
function toWebRequest({ headers }: FastifyRequest, url: string, signal: AbortSignal): Request {
  const kept = passed.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  return new Request(url, { method: "POST", headers: kept, signal });
}

const SESSION = "mcp-session-id";
/** At the end of the id of a client that can show its user a form. */
const FILLS_FORMS = "-forms";

/**
 * Of what a client of an earlier revision says at first, later requests need one thing: whether its user can be asked.
 * The id that the client sends along carries it; nothing is kept here.
 */
function nameSession(body: unknown): string | undefined {
  const { method, params } = Object(body);
  if (method !== "initialize") return undefined;
  const canAsk = canFillForms(params?.capabilities?.elicitation);
  return crypto.randomUUID() + (canAsk ? FILLS_FORMS : "");
}

function mayFillForms({ headers }: FastifyRequest): boolean {
  const id = headers[SESSION];
  return typeof id === "string" && id.endsWith(FILLS_FORMS);
}

async function sendWebResponse(
  reply: FastifyReply,
  response: Response,
  channel: ClientChannel | undefined,
): Promise<void> {
  const { connection: _own, ...headers } = Object.fromEntries(response.headers);
  reply.status(response.status).headers(headers);
  const { body } = response;
  if (body === null) {
    await reply.send("");
    return;
  }
  await reply.send(
    Readable.from(
      isStream(response) ? openAtOnce(body, channel) : Readable.fromWeb(asNodeStream(body)),
    ),
  );
}

/** The headers leave with the first bytes: a comment, which readers of event streams pass over. */
async function* openAtOnce(
  body: NonNullable<Response["body"]>,
  channel: ClientChannel | undefined,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(": open\n\n");
  if (channel === undefined) yield* Readable.fromWeb(asNodeStream(body));
  else yield* withQuestions(body, channel);
}

/** The events of the answer, and questions between them. */
async function* withQuestions(
  body: NonNullable<Response["body"]>,
  channel: ClientChannel,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    let next = reader.read();
    for (;;) {
      const chunk = await Promise.race([next, channel.hasMessages()]);
      for (const message of channel.takeMessages()) {
        yield Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      }
      if (chunk === undefined) continue;
      if (chunk.done) return;
      yield chunk.value;
      next = reader.read();
    }
  } finally {
    await reader.cancel();
  }
}

// The same class; the types of the web and of Node name it apart.
function asNodeStream(body: NonNullable<Response["body"]>): ReadableStream {
  return body as ReadableStream;
}
