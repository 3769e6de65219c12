import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { mcpRoutes } from "@jackfield/contract";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { getCachedConnectionForCall } from "#connections";
import { rateLimiter } from "#gateway";
import { messageOf } from "#platform";
import type { DatabaseAway } from "#platform/db";
import type { RouteHandlers } from "#platform/http";
import { createToolServer } from "./create-tool-server.ts";

type Handlers = RouteHandlers<typeof mcpRoutes>;

const callMcp: Handlers["callMcp"] = async (ctx, { headers, body }, { request, reply }) => {
  const { accountId } = ctx.environment;
  const calls = Array.isArray(body) ? body.length : 1;
  const tell = (reported: Readonly<Record<string, string>>) => void reply.headers(reported);
  // Each message of a batch counts as a call.
  await rateLimiter
    .of(ctx)
    .admit(ctx, { accountId, bucket: "key", request: request.raw, calls, tell });
  const integrationKey = headers["provider-config-key"];
  const connectionId = headers["connection-id"];
  const { integration } = await getCachedConnectionForCall(ctx, { integrationKey, connectionId });
  let away: DatabaseAway | undefined;
  const onAway = (error: DatabaseAway) => {
    away = error;
  };
  const place = { integration, connectionId };
  const handler = createMcpHandler(() => createToolServer(ctx, place, onAway), {
    onerror: (error) => ctx.log.debug("mcp.request_refused", { reason: messageOf(error) }),
  });
  try {
    const message = toWebRequest(request, `${ctx.settings.serverUrl}/mcp`, ctx.signal);
    const response = await handler.fetch(message, { parsedBody: body });
    // Of a batch others may have been called.
    if (away !== undefined && calls === 1) throw away;
    await sendWebResponse(reply, response);
  } finally {
    await handler.close();
  }
};

const refuseMcpStream: Handlers["refuseMcpStream"] = async (_ctx, _input, { reply }) => {
  const error = { code: -32_000, message: "Method not allowed: this server keeps no sessions." };
  await reply.status(405).header("allow", "POST").send({ jsonrpc: "2.0", error, id: null });
};

export const mcpHandlers: Handlers = { callMcp, refuseMcpStream };

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
  await reply.send(response.body === null ? "" : Readable.fromWeb(asNodeStream(response.body)));
}

// The same class; the types of the web and of Node name it apart.
function asNodeStream(body: NonNullable<Response["body"]>): ReadableStream {
  return body as ReadableStream;
}
