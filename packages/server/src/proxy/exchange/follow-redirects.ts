import { egressOf } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import { toUpstreamError } from "#platform/egress";
import { findHeader, withoutHeaders } from "../answer/response-headers.ts";
import type { ProviderCall } from "../call.ts";
import { toUpstreamHeaders } from "../request/request-headers.ts";
import { toTarget } from "../request/target.ts";
import { type Exchange, type ExchangeOptions, exchange } from "./exchange.ts";
import { type AnswerHead, sendAttempt } from "./send-attempt.ts";

const MAX_REDIRECTS = 5;

/** `exchange` that goes where answers point, if the call asks for it; credentials and the caller's own headers stay with their origin. */
export async function exchangeFollowing(
  ctx: EnvironmentContext,
  call: ProviderCall,
  options: ExchangeOptions,
): Promise<Exchange> {
  if (!call.followRedirects) return await exchange(ctx, call, options);
  const start = toTarget(call.baseUrl, call.path);
  let at = new URL(start.path, start.origin);
  let next = call;
  let hasLeft = false;
  for (let count = 0; ; count += 1) {
    const isPassedOver = (head: AnswerHead) => findNext(next, head, at) !== undefined;
    const sending = { ...options, isPassedOver };
    const result: Exchange = hasLeft
      ? await sendBare(ctx, next, sending)
      : await exchange(ctx, next, sending);
    const to: URL | undefined = result.passed ? undefined : findNext(next, result.head, at);
    if (to === undefined) return result;
    if (count === MAX_REDIRECTS) {
      const message = `The provider redirects more than ${MAX_REDIRECTS} times.`;
      throw new AppError("upstream_unreachable", message);
    }
    // Once it has left, a chain stays without credentials, even where it leads back.
    hasLeft ||= to.origin !== start.origin;
    next = redirect(next, result.head.status, to);
    at = to;
  }
}

const redirects = new Set([301, 302, 303, 307, 308]);

/** Where the answer points; undefined where the call cannot go. */
function findNext(call: ProviderCall, { status, headers }: AnswerHead, from: URL): URL | undefined {
  if (!redirects.has(status)) return undefined;
  // It has been sent, and is not there to be sent again.
  if (call.body.kind === "stream" && !becomesGet(call, status)) return undefined;
  const location = findHeader(headers, "location");
  const to = location === undefined ? null : URL.parse(location, from);
  if (to === null || !/^https?:$/.test(to.protocol)) return undefined;
  to.hash = "";
  return to;
}

/** Methods change as browsers change them (RFC 9110 section 15.4). */
function becomesGet({ method }: ProviderCall, status: number): boolean {
  return (
    (status === 303 && method !== "HEAD") ||
    ((status === 301 || status === 302) && method === "POST")
  );
}

function redirect(call: ProviderCall, status: number, to: URL): ProviderCall {
  return {
    ...call,
    baseUrl: to.origin,
    path: `${to.pathname}${to.search}`,
    ...(becomesGet(call, status)
      ? {
          method: "GET",
          body: { kind: "none" },
          headers: withoutHeaders(call.headers, (name) => /^(svc-proxy-)?content-/.test(name)),
        }
      : {}),
  };
}

const harmless = /^(accept|accept-language|accept-encoding|content-type|user-agent)$/;

const nothingAdded = { defaults: new Map(), credentials: new Map() };

const secret = /^(authorization|proxy-authorization|cookie)$/;

/** One request to another origin, with nothing that could be a secret unless the caller wants its own headers there. */
async function sendBare(
  ctx: EnvironmentContext,
  { integration, baseUrl, path, method, headers, body, forwardHeaders = false }: ProviderCall,
  { sink, log, isPassedOver = () => false }: ExchangeOptions,
): Promise<Exchange> {
  const own = toUpstreamHeaders(headers, nothingAdded);
  const request = {
    origin: baseUrl,
    path,
    method,
    headers: withoutHeaders(own, (name) =>
      forwardHeaders ? secret.test(name) : !harmless.test(name),
    ),
    body: body.kind === "bytes" ? body.bytes : null,
  };
  const decide = (head: AnswerHead) => {
    log.answered();
    return isPassedOver(head) ? ("discard" as const) : ("pass" as const);
  };
  log.sent();
  try {
    const outcome = await sendAttempt(egressOf(ctx, integration), request, {
      signal: ctx.signal,
      sink,
      decide,
    });
    return { ...outcome, refused: undefined };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    throw toUpstreamError(error, new URL(baseUrl).hostname);
  }
}
