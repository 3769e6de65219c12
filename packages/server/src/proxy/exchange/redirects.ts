import { AppError } from "#foundation";
import { findHeader, withoutHeaders } from "../answer/response-headers.ts";
import type { ProviderCall } from "../call.ts";
import { toUpstreamHeaders } from "../request/request-headers.ts";
import { toTarget } from "../request/target.ts";
import type { AnswerHead, UpstreamRequest } from "./attempt.ts";

const MAX_REDIRECTS = 5;

/** Where a call is on its way: at its own address, or where redirects have led it. */
export interface Hop {
  readonly call: ProviderCall;
  /** Of a call that was redirected. */
  readonly at: URL | undefined;
  readonly redirects: number;
  /**
   * Whether the call is without its credentials, since it has left its origin. It stays without them, even where the
   * way leads back.
   */
  readonly isBare: boolean;
}

export function firstHop(call: ProviderCall): Hop {
  return { call, at: undefined, redirects: 0, isBare: false };
}

/** The next hop, if the call asks for it and the answer points somewhere; throws after five of them. */
export function nextHop(hop: Hop, head: AnswerHead): Hop | undefined {
  const to = findNext(hop, head);
  if (to === undefined) return undefined;
  if (hop.redirects === MAX_REDIRECTS) {
    const message = `The provider redirects more than ${MAX_REDIRECTS} times.`;
    throw new AppError("upstream_unreachable", message);
  }
  return {
    call: redirect(hop.call, head.status, to),
    at: to,
    redirects: hop.redirects + 1,
    isBare: hop.isBare || to.origin !== addressOf(hop).origin,
  };
}

function addressOf({ at, call }: Hop): URL {
  if (at !== undefined) return at;
  const { origin, path } = toTarget(call.baseUrl, call.path);
  return new URL(path, origin);
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where the answer points; undefined where the call cannot go. */
export function findNext(hop: Hop, { status, headers }: AnswerHead): URL | undefined {
  const { call } = hop;
  if (!call.followRedirects || !redirects.has(status)) return undefined;
  // It has been sent, and is not there to be sent again.
  if (call.body.kind === "stream" && !becomesGet(call, status)) return undefined;
  const location = findHeader(headers, "location");
  const to = location === undefined ? null : URL.parse(location, addressOf(hop));
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

/** A request to another origin, with nothing that could be a secret unless the caller wants its own headers there. */
export function toBareRequest({
  baseUrl,
  path,
  method,
  headers,
  body,
  forwardHeaders = false,
}: ProviderCall): UpstreamRequest {
  const own = toUpstreamHeaders(headers, nothingAdded);
  return {
    origin: baseUrl,
    path,
    method,
    headers: withoutHeaders(own, (name) =>
      forwardHeaders ? secret.test(name) : !harmless.test(name),
    ),
    body: body.kind === "bytes" ? body.bytes : null,
  };
}
