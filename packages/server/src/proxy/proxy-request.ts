import type { IncomingMessage } from "node:http";
import {
  ANY_HOST,
  coversHost,
  INTEGRATION_HOSTS,
  normalizeEgress,
  type proxyRoutes,
  type RouteInput,
  toEgressHost,
} from "@jackfield/contract";
import type { FastifyReply } from "fastify";
import { readsBody, usesProof } from "#auth-modes";
import { getCachedConnectionForCall } from "#connections";
import { AppError, type EnvironmentContext, SECOND } from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import { isFromBrowser, type RawExchange } from "#foundation/http";
import { toBrowserHeaders } from "./answer/browser-answers.ts";
import { throwEarlierFailure } from "./answer/fail-later.ts";
import { withoutHeaders } from "./answer/response-headers.ts";
import { StreamSink } from "./answer/stream-sink.ts";
import type { Patience, ProviderCall } from "./call.ts";
import { CallLog } from "./call-log.ts";
import { exchange } from "./exchange/exchange.ts";
import { renewInBackground } from "./exchange/renew-in-background.ts";
import { takeCallSlot } from "./limits/call-slots.ts";
import { recordCall } from "./record-call.ts";
import { prepareCall } from "./request/prepare-call.ts";
import { readRequestBody } from "./request/request-body.ts";
import { readProxiedPath } from "./request/target.ts";
import { toRetryHints } from "./request/to-retry-hints.ts";

type ProxyInput = RouteInput<typeof proxyRoutes.proxyRequest>;

/** A call to the provider with the connection's credentials, streamed both ways. */
export async function proxyRequest(
  ctx: EnvironmentContext,
  input: ProxyInput,
  wire: RawExchange,
): Promise<void> {
  try {
    throwEarlierFailure(wire.request.raw);
    using _place = takeCallSlot(ctx);
    await passThrough(ctx, input, wire);
  } catch (error) {
    if (wire.reply.raw.headersSent || ctx.signal.aborted) {
      // Nothing can be reported any more: the caller sees that the answer ends early.
      wire.reply.hijack();
      wire.reply.raw.destroy();
      return;
    }
    throw error instanceof AppError ? withSource(error) : error;
  }
}

/** Tells a failure of ours from an answer of the provider's with the same status. */
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
  const authMs = wire.reply.elapsedTime;
  const log = new CallLog(ctx);
  const call = await prepare(ctx, input, wire);
  try {
    const options = { log, ...openSink(input, wire, { log, authMs }) };
    const { head, broken, refused } = await exchange(ctx, call, options);
    const error = broken === undefined ? undefined : toUpstreamError(broken, "The provider");
    const end = error === undefined ? { status: head.status } : { error };
    recordCall(ctx, call, { log, end });
    if (refused !== undefined) await renewInBackground(ctx, call, refused);
  } catch (error) {
    recordCall(ctx, call, { log, end: { error } });
    throw error;
  } finally {
    // A body that was not sent to its end still comes before the next request of the connection.
    if (call.body.kind === "stream") call.body.stream.destroy();
  }
}

async function prepare(
  ctx: EnvironmentContext,
  { headers }: ProxyInput,
  { request: { raw } }: RawExchange,
): Promise<ProviderCall> {
  refuseUpgrade(raw);
  const found = await getCachedConnectionForCall(ctx, {
    integrationKey: headers["provider-config-key"],
    connectionId: headers["connection-id"],
  });
  const method = raw.method ?? "GET";
  const retries = headers.retries ?? 0;
  const followRedirects = headers["follow-redirects"] ?? false;
  return await prepareCall(ctx, {
    ...found,
    method,
    path: `/${readProxiedPath(raw.url ?? "")}`,
    override: headers["base-url-override"],
    headers: raw.rawHeaders,
    readBody: async ({ mode, subject }) => {
      const type = raw.headers["svc-proxy-content-type"] ?? raw.headers["content-type"] ?? "";
      const isRead = readsBody(mode, subject, { method, contentType: String(type) });
      // A provider that checks proofs may ask for another one.
      const isSentOnce = retries === 0 && !followRedirects && !isRead && !usesProof(subject);
      const replayLimitBytes = isSentOnce ? 0 : ctx.settings.proxyReplayLimitBytes;
      return await readRequestBody(raw, { replayLimitBytes });
    },
    retries,
    retryOn: headers["retry-on"] ?? [],
    retryHeader: toRetryHints({
      at: headers["svc-retry-at"],
      after: headers["svc-retry-after"],
      remaining: headers["svc-retry-remaining"],
    }),
    followRedirects,
    forwardHeaders: headers["forward-headers-on-redirect"] ?? false,
    egress: toEgress(headers["svc-egress"]),
    patience: toPatience(headers["rate-limit-wait"]),
  });
}

/** What the caller itself says that its call may reach; it counts the bytes that it gets. */
function toEgress(hosts: readonly string[] | undefined): ProviderCall["egress"] {
  if (hosts === undefined || hosts.includes(ANY_HOST)) return undefined;
  const entries = normalizeEgress(hosts);
  return {
    count: () => {},
    admit: async (url, owner) => {
      const own = entries.includes(INTEGRATION_HOSTS) ? (owner?.hosts() ?? []) : [];
      if ([...entries, ...own].some((entry) => coversHost(entry, url))) return;
      const host = toEgressHost(url);
      const message = `The call may not go to ${host}: its Svc-Egress does not name the host.`;
      throw new AppError("egress_refused", message, { details: [{ host }] });
    },
  };
}

/** Other protocols than HTTP/1.1 are not negotiated; for WebSocket no plain answer would be of use. */
function refuseUpgrade({ headers }: IncomingMessage): void {
  if (!/websocket/i.test(headers.upgrade ?? "")) return;
  throw new AppError(
    "invalid_headers",
    "WebSocket connections are not proxied: read the token with GET /connections/{id} and connect to the provider.",
    { details: [{ code: "custom", message: "is not supported", path: ["upgrade"] }] },
  );
}

function toPatience(waitSeconds: number | undefined): Patience {
  if (waitSeconds === undefined) return { kind: "none" };
  return { kind: "bounded", waitMs: waitSeconds * SECOND };
}

function openSink(
  { headers }: ProxyInput,
  { request, reply }: RawExchange,
  { log, authMs }: { readonly log: CallLog; readonly authMs: number },
) {
  let isRetrySkipped = false;
  const isBrowser = isFromBrowser(request);
  const sink = new StreamSink({
    method: request.method,
    response: reply.raw,
    decompress: headers.decompress === true,
    begin: (head) => {
      reply.hijack();
      const cors = request.headers.origin === undefined ? [] : listCorsHeaders(reply);
      const shown = isBrowser ? toBrowserHeaders(head.headers) : head.headers;
      const received = cors.length === 0 ? shown : withoutHeaders(shown, isCors);
      const skipped = isRetrySkipped ? ["Svc-Retry-Skipped", "body-not-replayable"] : [];
      const isTimed = headers["svc-timing"] === true;
      const timed = isTimed ? ["Server-Timing", log.presentTiming(authMs)] : [];
      return [...received, ...cors, ...skipped, ...log.presentQuotaWait(), ...timed];
    },
  });
  const retrySkipped = () => {
    isRetrySkipped = true;
  };
  return { sink, retrySkipped };
}

/** What the HTTP server would answer to a browser; only then are there any. */
function listCorsHeaders(reply: FastifyReply): string[] {
  return Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    (isCors(name) || name === "vary") && value !== undefined ? [name, String(value)] : [],
  );
}

function isCors(name: string): boolean {
  return name.startsWith("access-control-");
}
