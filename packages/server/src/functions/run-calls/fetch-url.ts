import { functionLimits } from "@jackfield/contract/function-limits";
import type { RuntimeParams, RuntimeResult } from "@jackfield/contract/runtime";
import { AppError, type EnvironmentContext, MINUTE } from "#foundation";
import type { EgressResponse } from "#foundation/egress";
import { CallError } from "#foundation/sandbox";
import type { RunEgress } from "#slice";

const MAX_REDIRECTS = functionLimits.redirects.value;
const TIMEOUT_MS = 5 * MINUTE;

type Params = RuntimeParams<"fetch">;

interface Step {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** A call of a function to any address outside, without credentials; each hop passes the egress policy. */
export async function fetchUrl(
  ctx: EnvironmentContext,
  params: Params,
  { body, egress }: { readonly body: Uint8Array; readonly egress: RunEgress },
): Promise<{ value: RuntimeResult<"fetch">; body: Uint8Array }> {
  let step: Step = {
    url: parseUrl(params.url, "url_not_allowed"),
    method: params.method,
    headers: toHeaders(params.headers),
    body: params.hasBody ? body : undefined,
  };
  for (let hops = 0; ; hops += 1) {
    await egress.admit(step.url);
    const answer = await send(ctx, step, egress);
    const location = findLocation(answer);
    if (location === undefined || params.redirect === "manual") {
      return { value: present(answer, step.url, hops > 0), body: answer.body };
    }
    if (params.redirect === "error") {
      throw refuse("invalid_redirect", `${step.url.host} redirects, which this call refuses.`);
    }
    if (hops === MAX_REDIRECTS) {
      throw refuse("too_many_redirects", `More than ${MAX_REDIRECTS} redirects followed.`);
    }
    step = follow(step, answer.status, parseUrl(location, "invalid_redirect", step.url));
  }
}

async function send(
  ctx: EnvironmentContext,
  step: Step,
  egress: RunEgress,
): Promise<EgressResponse> {
  const sent = bytesOfRequest(step);
  try {
    const answer = await ctx.http.request({
      method: step.method,
      url: step.url.href,
      headers: step.headers,
      ...(step.body === undefined ? {} : { body: step.body }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: ctx.settings.bodyLimitBytes,
      signal: ctx.signal,
    });
    egress.count(step.url, { sent, received: bytesOfAnswer(answer) });
    return answer;
  } catch (error) {
    if (!isUnsent(error)) egress.count(step.url, { sent, received: 0 });
    if (!(error instanceof AppError) || error.code !== "destination_not_allowed") throw error;
    throw refuse("url_not_allowed", error.message);
  }
}

/** No connection was made, or none that the request went over. */
function isUnsent(error: unknown): boolean {
  const codes = ["destination_not_allowed", "upstream_dns_error", "upstream_tls_error"];
  return error instanceof AppError && [...codes, "invalid_request"].includes(error.code);
}

/** The head as it is written in HTTP/1.1, and the body. */
function bytesOfRequest({ method, url, headers, body }: Step): number {
  const line = method.length + url.pathname.length + url.search.length + 12;
  return line + bytesOfHead(Object.entries(headers)) + (body?.byteLength ?? 0);
}

function bytesOfAnswer({ headers, body }: EgressResponse): number {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return bytesOfHead(pairs) + body.byteLength;
}

function bytesOfHead(pairs: readonly (readonly [string, string])[]): number {
  return pairs.reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value) + 4, 0);
}

function refuse(type: string, message: string): CallError {
  return new CallError({ type, message });
}

function parseUrl(text: string, failure: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw refuse(failure, "Only http and https addresses can be called.");
  }
  url.hash = "";
  return url;
}

/** Set by the connection itself; an answer is asked for as it is. */
const ownHeaders =
  /^(accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-connection)$/;

function toHeaders(pairs: Params["headers"]): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": "Jackfield" };
  const given = new Set<string>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (ownHeaders.test(key)) continue;
    headers[key] = given.has(key) ? `${headers[key]}, ${value}` : value;
    given.add(key);
  }
  return headers;
}

const redirects = new Set([301, 302, 303, 307, 308]);

function findLocation({ status, headers }: EgressResponse): string | undefined {
  const location = headers["location"];
  return redirects.has(status) && typeof location === "string" ? location : undefined;
}

const credentialHeaders = /^(authorization|proxy-authorization|cookie)$/;

/** As browsers do (Fetch standard, HTTP-redirect fetch): secrets stay with their origin. */
function follow(step: Step, status: number, url: URL): Step {
  const { method } = step;
  const becomesGet =
    (status === 303 && method !== "GET" && method !== "HEAD") ||
    ((status === 301 || status === 302) && method === "POST");
  const isOther = url.origin !== step.url.origin;
  const kept = Object.entries(step.headers).filter(([name]) => {
    return !(isOther && credentialHeaders.test(name)) && !(becomesGet && /^content-/.test(name));
  });
  const headers = Object.fromEntries(kept);
  if (becomesGet) return { url, method: "GET", headers, body: undefined };
  return { ...step, url, headers };
}

function present(answer: EgressResponse, url: URL, redirected: boolean): RuntimeResult<"fetch"> {
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, item]),
  );
  return { status: answer.status, headers, url: url.href, redirected };
}
