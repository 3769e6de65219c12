import type { proxyRoutes, RouteInput } from "@jackfield/contract";
import type { FastifyReply } from "fastify";
import { findConnectionForCall, getFreshCredentials } from "#connections";
import { toCallSubject } from "#integrations";
import { AppError, addMs, type EnvironmentContext, SECOND } from "#platform";
import { toUpstreamError } from "#platform/egress";
import type { RawExchange } from "#platform/http";
import type { ProviderCall } from "./call.ts";
import { chooseBaseUrl } from "./choose-base-url.ts";
import { type Exchange, exchange } from "./exchange.ts";
import { recordCall } from "./record-call.ts";
import { readRequestBody } from "./request-body.ts";
import { withoutHeaders } from "./response-headers.ts";
import { StreamSink } from "./stream-sink.ts";
import { readProxiedPath } from "./target.ts";

type ProxyInput = RouteInput<typeof proxyRoutes.proxyRequest>;

/** A call to the provider with the connection's credentials, streamed both ways. */
export async function proxyRequest(
  ctx: EnvironmentContext,
  input: ProxyInput,
  wire: RawExchange,
): Promise<void> {
  try {
    await passThrough(ctx, input, wire);
  } catch (error) {
    if (wire.reply.raw.headersSent || ctx.signal.aborted) {
      // Nothing can be told any more: the caller sees that the answer ends early.
      wire.reply.hijack();
      wire.reply.raw.destroy();
      return;
    }
    throw error instanceof AppError ? withSource(error) : error;
  }
}

/** Tells a failure of ours from an answer of the provider's with the same status (decisions 3). */
function withSource(error: AppError): AppError {
  const headers = { ...error.headers, "Svc-Error-Source": "platform" };
  const details = error.details === undefined ? {} : { details: error.details };
  return new AppError(error.code, error.message, { ...details, headers, cause: error });
}

async function passThrough(
  ctx: EnvironmentContext,
  input: ProxyInput,
  wire: RawExchange,
): Promise<void> {
  const startedAt = ctx.clock.now();
  const call = await prepare(ctx, input, wire);
  try {
    const { head, broken, refused } = await exchange(ctx, call, openSink(input, wire));
    const error = broken === undefined ? undefined : toUpstreamError(broken, "The provider");
    recordCall(ctx, call, startedAt, error === undefined ? { status: head.status } : { error });
    if (refused !== undefined) await renewInBackground(ctx, call, refused);
  } catch (error) {
    recordCall(ctx, call, startedAt, { error });
    throw error;
  } finally {
    // A body that was not sent to its end still stands before the next request of the connection.
    if (call.body.kind === "stream") call.body.stream.destroy();
  }
}

async function prepare(
  ctx: EnvironmentContext,
  { headers }: ProxyInput,
  { request: { raw } }: RawExchange,
): Promise<ProviderCall> {
  const found = await findConnectionForCall(ctx, {
    integrationKey: headers["provider-config-key"],
    connectionId: headers["connection-id"],
  });
  const { integration, connection } = found;
  const subject = toCallSubject(integration, connection.connectionConfig);
  const override = headers["base-url-override"];
  const retries = headers.retries ?? 0;
  const replayLimitBytes = retries === 0 ? 0 : ctx.settings.proxyReplayLimitBytes;
  return {
    integration,
    connection,
    subject,
    method: raw.method ?? "GET",
    baseUrl: chooseBaseUrl(ctx.actor, integration, subject, override),
    path: `/${readProxiedPath(raw.url ?? "")}`,
    headers: raw.rawHeaders,
    body: await readRequestBody(raw, { replayLimitBytes }),
    retries,
    retryOn: headers["retry-on"] ?? [],
  };
}

function openSink({ headers }: ProxyInput, { request, reply }: RawExchange) {
  let isRetrySkipped = false;
  const sink = new StreamSink({
    method: request.method,
    response: reply.raw,
    decompress: headers.decompress === true,
    begin: (head) => {
      reply.hijack();
      const cors = request.headers.origin === undefined ? [] : listCorsHeaders(reply);
      const received = cors.length === 0 ? head.headers : withoutHeaders(head.headers, isCors);
      const skipped = isRetrySkipped ? ["Svc-Retry-Skipped", "body-not-replayable"] : [];
      return [...received, ...cors, ...skipped];
    },
  });
  const retrySkipped = () => {
    isRetrySkipped = true;
  };
  return { sink, retrySkipped };
}

/** What the HTTP server would answer to a browser; only then are there any (decisions 25). */
function listCorsHeaders(reply: FastifyReply): string[] {
  return Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    (isCors(name) || name === "vary") && value !== undefined ? [name, String(value)] : [],
  );
}

function isCors(name: string): boolean {
  return name.startsWith("access-control-");
}

// A provider that answers 401 for reasons of its own must not have the tokens renewed on each call.
const RENEWAL_PAUSE_MS = 10 * SECOND;

/** Without retries a 401 is returned as it is; the next call shall find credentials that work (decisions 28). */
async function renewInBackground(
  ctx: EnvironmentContext,
  { integration }: ProviderCall,
  connection: NonNullable<Exchange["refused"]>,
): Promise<void> {
  const now = ctx.clock.now();
  const { credentialsIssuedAt: issuedAt, refresh } = connection;
  if (issuedAt !== undefined && addMs(issuedAt, RENEWAL_PAUSE_MS) > now) return;
  if (refresh.needsReauthorizationAt !== undefined) return;
  if (refresh.notBefore !== undefined && refresh.notBefore > now) return;
  try {
    await getFreshCredentials(ctx, { connection, integration, force: true });
  } catch (error) {
    // The caller has its answer; the attempt itself is told of by the connection.
    if (!(error instanceof AppError) && !ctx.signal.aborted) throw error;
  }
}
