import { AppError, type EnvironmentContext } from "#platform";
import { toUpstreamError } from "#platform/egress";
import type { BufferSink } from "./buffer-sink.ts";
import type { ProviderCall } from "./call.ts";
import { exchange } from "./exchange.ts";
import { findHeader, withoutHeaders } from "./response-headers.ts";
import { type AnswerHead, sendAttempt } from "./send-attempt.ts";
import { toTarget } from "./target.ts";

const MAX_REDIRECTS = 5;

/** Goes where the answer points; credentials and the caller's own headers stay with their origin. */
export async function followRedirects(
  ctx: EnvironmentContext,
  call: ProviderCall,
  { sink, first }: { sink: BufferSink; first: AnswerHead },
): Promise<AnswerHead> {
  const start = toTarget(call.baseUrl, call.path);
  let at = new URL(start.path, start.origin);
  let head = first;
  let next = call;
  let hasLeft = false;
  for (let count = 0; ; count += 1) {
    const to = readLocation(head, at);
    if (to === undefined) return head;
    if (count === MAX_REDIRECTS) {
      const message = `The provider redirects more than ${MAX_REDIRECTS} times.`;
      throw new AppError("upstream_unreachable", message);
    }
    // Once it has left, a chain stays without credentials, even where it leads back.
    hasLeft ||= to.origin !== start.origin;
    next = redirect(next, head.status, to);
    head = hasLeft ? await sendBare(ctx, next, sink) : (await exchange(ctx, next, { sink })).head;
    at = to;
  }
}

const redirects = new Set([301, 302, 303, 307, 308]);

function readLocation({ status, headers }: AnswerHead, from: URL): URL | undefined {
  if (!redirects.has(status)) return undefined;
  const location = findHeader(headers, "location");
  const to = location === undefined ? null : URL.parse(location, from);
  if (to === null || !/^https?:$/.test(to.protocol)) return undefined;
  to.hash = "";
  return to;
}

/** Methods change as browsers change them (RFC 9110 section 15.4). */
function redirect(call: ProviderCall, status: number, to: URL): ProviderCall {
  const becomesGet =
    (status === 303 && call.method !== "HEAD") ||
    ((status === 301 || status === 302) && call.method === "POST");
  return {
    ...call,
    baseUrl: to.origin,
    path: `${to.pathname}${to.search}`,
    ...(becomesGet
      ? {
          method: "GET",
          body: { kind: "none" },
          headers: withoutHeaders(call.headers, (name) => /^(svc-proxy-)?content-/.test(name)),
        }
      : {}),
  };
}

const harmless = /^(accept|accept-language|accept-encoding|content-type|user-agent)$/;

/** One request to another origin, with nothing that could be a secret. */
async function sendBare(
  ctx: EnvironmentContext,
  { baseUrl, path, method, headers, body }: ProviderCall,
  sink: BufferSink,
): Promise<AnswerHead> {
  const plain = headers.map((item, index) =>
    index % 2 === 0 ? item.toLowerCase().replace(/^svc-proxy-/, "") : item,
  );
  const request = {
    origin: baseUrl,
    path,
    method,
    headers: withoutHeaders(plain, (name) => !harmless.test(name)),
    body: body.kind === "bytes" ? body.bytes : null,
  };
  const options = { signal: ctx.signal, sink, decide: () => "pass" as const };
  try {
    return (await sendAttempt(ctx.http, request, options)).head;
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    throw toUpstreamError(error, new URL(baseUrl).hostname);
  }
}
