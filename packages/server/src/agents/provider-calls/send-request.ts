import { isUtf8 } from "node:buffer";
import { getCachedConnectionForCall, requireUnfrozen } from "#connections";
import { AppError, type EnvironmentContext, SECOND } from "#foundation";
import { callProvider, type ProviderAnswer, takeCallSlot } from "#proxy";
import { RefusedCall } from "../sources/refused-call.ts";
import type { ToolRun } from "../sources/tool-source.ts";

/** A request of an agent to a provider, as it is sent. */
export interface AgentRequest {
  readonly method: string;
  /** Below the base address of the connection's calls, without a query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** How long a call waits for a provider's quota. */
const MOST_WAIT_MS = 10 * SECOND;
const NOTHING = new Uint8Array();

/**
 * Sends one request with the connection's credentials, after who has to approve it has, and resolves to the answer as
 * JSON text. It goes where it says: redirects are not followed.
 */
export async function sendRequest(
  ctx: EnvironmentContext,
  { integrationKey, connectionId, caller }: ToolRun,
  request: AgentRequest,
): Promise<Uint8Array> {
  const found = await getCachedConnectionForCall(ctx, { integrationKey, connectionId });
  requireUnfrozen(found.connection);
  const { method, path: endpoint, query, headers, body } = request;
  const params = { method, endpoint, query, headers, hasBody: body !== undefined };
  await caller?.admitChange?.({ method: "proxy", params, body: body ?? NOTHING }, (value) => value);
  try {
    using _slot = takeCallSlot(ctx);
    const answer = await callProvider(ctx, {
      ...{ ...found, method, endpoint, query, headers, body },
      ...{ baseUrlOverride: undefined, retries: 0, retryOn: [], decompress: true },
      followRedirects: false,
      // What the provider refused has done nothing: sent again, a write is not done twice.
      renewsRefused: true,
      patience: { kind: "bounded", waitMs: MOST_WAIT_MS },
      answerLimitBytes: ctx.settings.actionValueLimitBytes,
    });
    if (answer.status >= 300) throw toFailure(answer);
    return toOutput(method, answer);
  } catch (error) {
    throw explain(error);
  }
}

function toOutput(method: string, { status, headers, body }: ProviderAnswer): Uint8Array {
  if (method === "HEAD") return toJson({ status, headers: pickHeaders(headers) });
  if (body.byteLength === 0) return toJson(null);
  if (!isUtf8(body)) {
    return toJson({ content_type: typeOf(headers), base64: body.toString("base64") });
  }
  const text = body.toString();
  return /json/i.test(typeOf(headers)) && isJson(text) ? body : toJson(text);
}

function toJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function typeOf(headers: ProviderAnswer["headers"]): string {
  return String(headers["content-type"] ?? "");
}

/** Others may hold secrets. */
function pickHeaders(headers: ProviderAnswer["headers"]): Record<string, string> {
  const known = /^(content-(type|length)|etag|last-modified|retry-after|x-rate[\w-]*)$/;
  const picked = Object.entries(headers).filter(([name]) => known.test(name));
  return Object.fromEntries(picked.map(([name, value]) => [name, String(value).slice(0, 500)]));
}

function toFailure({ status, headers, body }: ProviderAnswer): AppError {
  const isRedirect = status < 400;
  const message = isRedirect
    ? `The provider answered ${status}, a redirect, which is not followed.`
    : `The provider answered ${status}.`;
  const text = isUtf8(body) ? body.toString() : "";
  const answered = isRedirect ? undefined : isJson(text) ? JSON.parse(text) : text;
  const upstream = { status, headers: pickHeaders(headers), body: answered };
  return new AppError("script_http_error", message, { details: [{ upstream }] });
}

const unreached: ReadonlySet<string> = new Set([
  ...["upstream_unreachable", "upstream_timeout", "upstream_unavailable", "upstream_tls_error"],
]);
const unsent: ReadonlySet<string> = new Set(["too_many_request", "upstream_circuit_open"]);

/** In the codes that failed actions have. */
function explain(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message } = error;
  if (unreached.has(code)) return new AppError("script_network_error", message, { cause: error });
  if (unsent.has(code)) return new AppError("overloaded", message, { cause: error });
  if (code !== "invalid_uri_params" && code !== "invalid_headers") return error;
  return new RefusedCall({
    ...{ code: "invalid_input", message },
    next: "Correct the input and call again.",
  });
}
