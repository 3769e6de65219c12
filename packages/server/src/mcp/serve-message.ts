import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Bucket, rateLimiter } from "#gateway";
import { type EnvironmentContext, messageOf } from "#platform";
import type { DatabaseAway } from "#platform/db";
import { requireOwnOrigin, requireSingleMessage } from "./check-request.ts";
import type { OnAway } from "./own-words.ts";

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

/** Answers a message of the protocol by a server that is made for it. */
export async function serveMessage(
  ctx: EnvironmentContext,
  { request, reply, body, path }: Message & { readonly path: string },
  createServer: (onAway: OnAway) => Server,
): Promise<void> {
  let away: DatabaseAway | undefined;
  const onAway = (error: DatabaseAway) => {
    away = error;
  };
  const handler = createMcpHandler(() => createServer(onAway), {
    // A call may take minutes, and its caller is to know at once that it has begun.
    responseMode: isCall(body) ? "sse" : "auto",
    onerror: (error) => ctx.log.debug("mcp.request_refused", { reason: messageOf(error) }),
  });
  try {
    const message = toWebRequest(request, `${ctx.settings.serverUrl}${path}`, ctx.signal);
    const response = await handler.fetch(message, { parsedBody: body });
    // Of a batch others may have been called.
    if (away !== undefined && countMessages(body) === 1) throw away;
    await sendWebResponse(reply, response);
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

async function sendWebResponse(reply: FastifyReply, response: Response): Promise<void> {
  reply.status(response.status).headers(Object.fromEntries(response.headers));
  const { body } = response;
  if (body === null) {
    await reply.send("");
    return;
  }
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  await reply.send(
    Readable.from(isStream ? openAtOnce(body) : Readable.fromWeb(asNodeStream(body))),
  );
}

/** The headers leave with the first bytes: a comment, which readers of event streams pass over. */
async function* openAtOnce(body: NonNullable<Response["body"]>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(": open\n\n");
  yield* Readable.fromWeb(asNodeStream(body));
}

// The same class; the types of the web and of Node name it apart.
function asNodeStream(body: NonNullable<Response["body"]>): ReadableStream {
  return body as ReadableStream;
}
