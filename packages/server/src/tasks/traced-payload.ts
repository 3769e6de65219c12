import type { Span } from "#foundation/instruments";

/** Next to the fields of a payload, whose names have no such sign. */
const FIELD = "$traceparent";

/** The payload as JSON, with the trace that queues it. */
export function toTracedJson(payload: unknown, trace: Span | undefined): string {
  const traceparent = trace?.traceparent;
  if (traceparent === undefined || typeof payload !== "object" || payload === null) {
    return JSON.stringify(payload);
  }
  return JSON.stringify({ ...payload, [FIELD]: traceparent });
}

export function traceparentOf(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  const found: unknown = Reflect.get(payload, FIELD);
  return typeof found === "string" ? found : undefined;
}
