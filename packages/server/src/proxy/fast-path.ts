import type { IncomingMessage, RequestListener } from "node:http";
import { hasScope, proxyRoutes } from "@jackfield/contract";
import { isBound, isPlainCall } from "#auth-modes";
import {
  type ConnectionForCall,
  getCachedConnectionForCall,
  getConnectionForCallIfCached,
  getFreshCredentials,
  getFreshCredentialsIfCached,
  subjectOf,
} from "#connections";
import {
  authenticateKey,
  getPrincipalIfCached,
  type Principal,
  parseAuthorization,
} from "#environments";
import {
  AppError,
  type EnvironmentContext,
  messageOf,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import { beginRequest, countRequest, LEFT, type RequestLog } from "#foundation/http";
import { toCallSubject } from "#integrations";
import { type CallTemplate, toCallTemplate } from "#logs";
import { failLater } from "./answer/fail-later.ts";
import { StreamSink } from "./answer/stream-sink.ts";
import type { ProviderCall } from "./call.ts";
import { beginAttempt, endAttempt, putTraceHeaders } from "./call-span.ts";
import { Attempt, type UpstreamRequest } from "./exchange/attempt.ts";
import { noteClock } from "./exchange/note-clock.ts";
import { renewInBackground } from "./exchange/renew-in-background.ts";
import { callSlots } from "./limits/call-slots.ts";
import { learnFromAnswer, noteFailure, upstreamLimits } from "./limits/upstream-limits.ts";
import { recordCall } from "./record-call.ts";
import { chooseBaseUrl, findPathBaseUrl } from "./request/choose-base-url.ts";
import { modeOf } from "./request/prepare-call.ts";
import { type CallNames, isForProxy, readCallNames } from "./request/read-call-names.ts";
import { passBody, type RequestBody } from "./request/request-body.ts";
import { readProxiedPath } from "./request/target.ts";
import { toRequest, withBody } from "./request/to-request.ts";

export interface FastPathOptions {
  /** Headers under the names of the contract, before anything reads them. */
  readonly renameHeaders?: ((request: IncomingMessage) => void) | undefined;
  /** Counts the call of an account, once for each request; rejects when there were too many. */
  readonly admit?: ((ctx: SystemContext, call: AdmittedCall) => Promise<void>) | undefined;
  readonly requestLog?: RequestLog | undefined;
}

interface AdmittedCall {
  readonly accountId: string;
  readonly request: IncomingMessage;
}

/**
 * Calls for which all is at hand leave at once, without waiting for anything. Every other call, and
 * every failure before there is an answer, takes the slow path through `next`, which knows all rules.
 */
export function withFastPath(
  ctx: SystemContext,
  next: RequestListener,
  { renameHeaders, admit, requestLog }: FastPathOptions = {},
): RequestListener {
  const take: RequestListener = (request, response) => {
    const call = ctx.signal.aborted ? undefined : prepare(ctx, request);
    if (call === undefined) return next(request, response);
    requestLog?.noteRoute(request, proxyRoutes.proxyRequest);
    requestLog?.noteCaller(request, call.ctx);
    send(call, { request, response, next });
  };
  const serve: RequestListener = (request, response) => {
    const accountId = admit === undefined ? undefined : getAccountIfCached(ctx, request);
    if (admit === undefined || accountId === undefined) return take(request, response);
    // The slow path repeats this check and words the error.
    const pass = () => next(request, response);
    admit(ctx, { accountId, request }).then(() => take(request, response), pass);
  };
  return (request, response) => {
    if (renameHeaders !== undefined && isForProxy(request)) renameHeaders(request);
    const names = request.method === "OPTIONS" ? readCallNames(request) : undefined;
    if (names === undefined) serve(request, response);
    else void bringToHand(ctx, request, names).then(() => serve(request, response));
  };
}

/** Whose call it is; undefined where the fast path does not apply. */
function getAccountIfCached(ctx: SystemContext, request: IncomingMessage): string | undefined {
  return readCallNames(request) === undefined
    ? undefined
    : getCallerIfCached(ctx, request)?.accountId;
}

function getCallerIfCached(ctx: SystemContext, request: IncomingMessage): Principal | undefined {
  try {
    return getPrincipalIfCached(ctx, parseAuthorization(request.headers.authorization));
  } catch {
    // The slow path words the error.
    return undefined;
  }
}

/** The slow path takes each OPTIONS for a browser's preflight: one with a key and without an origin is a call. */
async function bringToHand(
  ctx: SystemContext,
  request: IncomingMessage,
  names: CallNames,
): Promise<void> {
  try {
    const key = parseAuthorization(request.headers.authorization);
    const { environment } = await authenticateKey(ctx, key);
    if (environment === undefined) return;
    const found = await getCachedConnectionForCall(withEnvironment(ctx, environment), names);
    await getFreshCredentials(withEnvironment(ctx, environment), { ...found, force: false });
  } catch (error) {
    // A request whose connection is not cached afterwards is no call.
    if (!(error instanceof AppError))
      ctx.log.warn("proxy.options_failed", { reason: messageOf(error) });
  }
}

interface FastCall {
  readonly ctx: EnvironmentContext;
  readonly call: Omit<
    ProviderCall,
    "body" | "retries" | "retryOn" | "patience" | "followRedirects"
  >;
  readonly template: CallTemplate | undefined;
  readonly request: UpstreamRequest;
  readonly body: RequestBody;
  readonly startedAt: Date;
  readonly slot: Disposable;
}

/** Undefined where anything is unusual or not at hand. */
function prepare(base: SystemContext, request: IncomingMessage): FastCall | undefined {
  const names = readCallNames(request);
  if (names === undefined) return undefined;
  const principal = getCallerIfCached(base, request);
  const environment = principal?.environment;
  if (principal === undefined || environment === undefined) return undefined;
  const found = getConnectionForCallIfCached(base, environment.id, names);
  const shared = found === undefined ? undefined : sharedCallOf(base, principal, found);
  if (found === undefined || shared === undefined) return undefined;
  const startedAt = base.clock.now();
  const credentials = getFreshCredentialsIfCached(found, startedAt);
  // A bound token needs a proof, and the provider may ask for another one.
  if (credentials === undefined || isBound(credentials)) return undefined;
  const path = `/${readProxiedPath(request.url ?? "")}`;
  const call = {
    integration: found.integration,
    connection: found.connection,
    subject: shared.subject,
    mode: shared.mode,
    method: request.method ?? "GET",
    baseUrl: findPathBaseUrl(shared.subject, path) ?? shared.baseUrl,
    path,
    headers: request.rawHeaders,
  };
  try {
    const { ctx, template } = shared;
    const facts = { now: startedAt, dpopNonce: undefined };
    const sent = toRequest(call, credentials, { facts });
    if (!upstreamLimits.of(base).breakers.isClosed(sent.origin)) return undefined;
    const slot = callSlots.of(base).tryTake(environment.id);
    if (slot === undefined) return undefined;
    // Last, for from here on the body is on its way.
    return { ctx, call, template, request: sent, body: passBody(request), startedAt, slot };
  } catch {
    // The slow path words the error.
    return undefined;
  }
}

interface SharedCall extends Pick<ProviderCall, "subject" | "mode"> {
  readonly ctx: EnvironmentContext;
  readonly baseUrl: string;
  readonly template: CallTemplate | undefined;
}

/** What the calls of a key over a connection share; null where each needs more than the fast path does. */
// Kept with its key: a connection in the cache of one server.
const sharedCalls = new WeakMap<ConnectionForCall, WeakMap<Principal, SharedCall | null>>();

function sharedCallOf(
  base: SystemContext,
  principal: Principal,
  found: ConnectionForCall,
): SharedCall | undefined {
  const byPrincipal = sharedCalls.get(found) ?? new WeakMap<Principal, SharedCall | null>();
  const known = byPrincipal.get(principal);
  if (known !== undefined) return known ?? undefined;
  const shared = prepareShared(base, principal, found);
  sharedCalls.set(found, byPrincipal.set(principal, shared ?? null));
  return shared;
}

function prepareShared(
  base: SystemContext,
  principal: Principal,
  found: ConnectionForCall,
): SharedCall | undefined {
  const { environment, ...key } = principal;
  if (environment === undefined || !hasScope(key.scopes, "environment:proxy")) return undefined;
  if (found.integration.settings.overrides?.simulator_url !== undefined) return undefined;
  const ctx = withEnvironment(base, environment, { kind: "key", ...key });
  const subject = toCallSubject(found.integration, found.connection.connectionConfig);
  const mode = modeOf(subject);
  if (!isPlainCall(mode, subject)) return undefined;
  try {
    const baseUrl = chooseBaseUrl(ctx.actor, found.integration, subject, {
      path: "",
      override: undefined,
    });
    const template = toCallTemplate(ctx, subjectOf(found.integration, found.connection));
    return { ctx, subject, mode, baseUrl, template };
  } catch {
    return undefined;
  }
}

interface Wire {
  readonly request: IncomingMessage;
  readonly response: Parameters<RequestListener>[1];
  readonly next: RequestListener;
}

function send(
  { ctx, call, template, request, body, startedAt, slot }: FastCall,
  { request: received, response, next }: Wire,
): void {
  const sinceMs = performance.now();
  const { headers, method = "GET" } = received;
  const traced = {
    route: proxyRoutes.proxyRequest,
    method,
    traceparent: headers["traceparent"],
    response,
  };
  const span = beginAttempt(beginRequest(ctx.trace, traced), call, request);
  let isPassedOn = false;
  const sink = new StreamSink({
    method: call.method,
    response,
    decompress: false,
    begin: ({ headers }) => headers,
  });
  const log = { startedAt, timing: { upstream: 0 } };
  let sentAtMs = 0;
  const attempt = new Attempt(
    {
      sink,
      decide: (head) => {
        log.timing.upstream = performance.now() - sentAtMs;
        learnFromAnswer(ctx, call, head);
        return "pass";
      },
    },
    {
      answered: ({ head, broken }) => {
        endBody();
        const end =
          broken === undefined
            ? { status: head.status }
            : { error: toUpstreamError(broken, "The provider") };
        recordCall(ctx, call, { log, end, template, isCancelled: hasLeft() });
        endAttempt(span, broken === undefined ? { status: head.status } : { code: "broken" });
        if (head.status === 401) {
          noteClock(ctx.http.servers, request.origin, head);
          renewInBackground(ctx, call, call.connection).catch((failure: unknown) => {
            ctx.log.error("proxy.renewal_failed", { reason: messageOf(failure) });
          });
        }
      },
      failed: (error) => {
        endBody();
        noteFailure(ctx, call, { origin: request.origin, error });
        const upstream = toUpstreamError(error, new URL(request.origin).hostname);
        recordCall(ctx, call, { log, end: { error: upstream }, isCancelled: hasLeft() });
        endAttempt(span, { code: upstream.code });
        if (hasLeft()) return;
        failLater(received, upstream);
        isPassedOn = true;
        next(received, response);
      },
    },
  );
  response.on("close", () => {
    slot[Symbol.dispose]();
    // The routes count what was passed on to them.
    const { headersSent, statusCode } = response;
    if (!isPassedOn)
      countRequest(proxyRoutes.proxyRequest, headersSent ? statusCode : LEFT, sinceMs);
    if (hasLeft()) attempt.abort(new Error("the caller has gone"));
  });
  sentAtMs = performance.now();
  ctx.http.dispatch(withBody(putTraceHeaders(ctx, request, span), body), attempt);

  function hasLeft(): boolean {
    return response.destroyed && !response.writableFinished;
  }

  // A body that was not sent to its end still comes before the next request of the connection.
  function endBody(): void {
    if (body.kind === "stream") body.stream.destroy();
  }
}
