import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { connectionMcpRoutes } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { getCachedConnectionForCall } from "#connections";
import { AppError } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { admitMessage, refuseMethod, requireBounds } from "#mcp";
import { streamProvider } from "#proxy";
import { findUpstream } from "./refresh-tools.ts";

type Handlers = RouteHandlers<typeof connectionMcpRoutes>;

/** Headers of the protocol; none of them can hold the caller's key. */
const passed = ["accept", "content-type", "last-event-id"];
const answered = ["content-type", "mcp-session-id", "cache-control"];

/** A message as it is, with the connection's credentials in place of the caller's key. */
const passToUpstream: Handlers["passToUpstream"] = async (
  ctx,
  { params, body },
  { request, reply },
) => {
  await admitMessage(ctx, { request, reply, body, bucket: "key" });
  const { integration: integrationKey, connectionId } = params;
  const found = await getCachedConnectionForCall(ctx, { integrationKey, connectionId });
  requireBounds(ctx, { integrationKey, connectionId, tags: found.connection.tags });
  const server = findUpstream(found);
  if (server === undefined) {
    throw new AppError("not_found", `The provider of "${integrationKey}" names no MCP server.`);
  }
  const { callMs, idleMs, answerBytes } = ctx.settings.mcpLimits;
  const answer = await streamProvider(ctx, {
    ...server,
    method: "POST",
    headers: pickHeaders(request),
    body: Buffer.from(JSON.stringify(body)),
    ...{ idleMs, maxBytes: answerBytes },
    signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(callMs)]),
  });
  await send(reply, answer);
};

function pickHeaders({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] => {
      const isPassed = passed.includes(name) || name.startsWith("mcp-");
      return isPassed && typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

/** A redirect is an answer, whose address is not passed on: the client would follow it with its key. */
async function send(
  reply: FastifyReply,
  { status, headers, body }: Awaited<ReturnType<typeof streamProvider>>,
): Promise<void> {
  const kept = answered.flatMap((name) => {
    const [value] = [headers[name]].flat();
    return value === undefined ? [] : [[name, value] as const];
  });
  reply.status(status).headers(Object.fromEntries(kept));
  await reply.send(Readable.fromWeb(asNodeStream(body)));
}

// The same class; the types of the web and of Node name it apart.
function asNodeStream(body: globalThis.ReadableStream<Uint8Array>): ReadableStream {
  return body as ReadableStream;
}

const refuseUpstreamEnd: Handlers["refuseUpstreamEnd"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

const refuseUpstreamStream: Handlers["refuseUpstreamStream"] = async (_ctx, _input, { reply }) => {
  await refuseMethod(reply);
};

export const connectionMcpHandlers: Handlers = {
  passToUpstream,
  refuseUpstreamEnd,
  refuseUpstreamStream,
};
