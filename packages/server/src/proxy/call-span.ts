import type { EnvironmentContext } from "#foundation";
import type { Span } from "#foundation/instruments";
import type { ProviderCall } from "./call.ts";
import type { UpstreamRequest } from "./exchange/attempt.ts";

/** The span of one attempt at a provider. The path is left out: it holds what ids and names the caller puts there. */
export function beginAttempt(
  trace: Span,
  { integration }: Pick<ProviderCall, "integration">,
  request: UpstreamRequest,
): Span {
  if (!trace.isRecording) return trace;
  return trace.child(`${request.method} provider`, {
    kind: "client",
    attributes: {
      "http.request.method": request.method,
      "server.address": new URL(request.origin).hostname,
      "svc.provider": integration.definition === undefined ? integration.provider : "custom",
    },
  });
}

export function endAttempt(
  span: Span,
  end: { readonly status: number } | { readonly code: string },
) {
  if ("code" in end) span.fail(end.code);
  else {
    span.set({ "http.response.status_code": end.status });
    if (end.status >= 400) span.fail(String(end.status));
  }
  span.end();
}

const ours: ReadonlySet<string> = new Set(["traceparent", "tracestate"]);

/**
 * Where the operator wants it, the provider learns which trace the call is part of, in place of what the caller sent
 * of its own. Not by default: the id would let providers tell that calls belong together.
 */
export function putTraceHeaders(
  { settings }: Pick<EnvironmentContext, "settings">,
  request: UpstreamRequest,
  { traceparent }: Span,
): UpstreamRequest {
  if (!settings.traceProviders || traceparent === undefined) return request;
  const headers: string[] = [];
  for (let index = 0; index + 1 < request.headers.length; index += 2) {
    const [name = "", value = ""] = request.headers.slice(index, index + 2);
    if (!ours.has(name.toLowerCase())) headers.push(name, value);
  }
  return { ...request, headers: [...headers, "traceparent", traceparent] };
}
