import type { ServerResponse } from "node:http";
import type { RouteDefinition } from "@jackfield/contract";
import { noSpan, type Span } from "../../instruments/index.ts";

export interface TracedRequest {
  readonly route: RouteDefinition;
  readonly method: string;
  /** As the caller sent it: its work is what ours is part of. */
  readonly traceparent: string | string[] | undefined;
  readonly response: ServerResponse;
}

/** The span of a request, until its answer has ended or its caller has left. */
export function beginRequest(root: Span, traced: TracedRequest): Span {
  if (root === noSpan) return noSpan;
  const { route, method, traceparent, response } = traced;
  const span = root.child(`${method} ${route.path}`, {
    kind: "server",
    parent: typeof traceparent === "string" ? traceparent : undefined,
    attributes: { "http.request.method": method, "http.route": route.path },
  });
  if (!span.isRecording) return span;
  response.once("close", () => {
    if (response.headersSent) span.set({ "http.response.status_code": response.statusCode });
    if (!response.writableFinished) span.fail("left");
    else if (response.statusCode >= 500) span.fail(String(response.statusCode));
    span.end();
  });
  return span;
}
