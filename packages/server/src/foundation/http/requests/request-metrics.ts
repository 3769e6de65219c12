import { STATUS_CODES } from "node:http";
import type { RouteDefinition } from "@jackfield/contract";
import { defineHistogram } from "../../instruments/index.ts";

const durations = defineHistogram({
  name: "svc_http_request_duration_seconds",
  help: "Requests by route and status, from the headers of the request to the end of the answer.",
  unit: "s",
  labels: ["route", "status"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

type RequestLabels = Parameters<typeof durations.record>[1];

// Process-wide: labels, made once for each route and status, since the hot path makes no object.
const known = new Map<RouteDefinition | undefined, Map<number, RequestLabels>>();

/** `route` undefined: none of ours. A caller that left before the answer began counts as 499. */
export function countRequest(
  route: RouteDefinition | undefined,
  status: number,
  startedAtMs: number,
): void {
  if (!durations.isRead) return;
  durations.record((performance.now() - startedAtMs) / 1000, labelsOf(route, status));
}

function labelsOf(route: RouteDefinition | undefined, status: number): RequestLabels {
  const ofRoute = known.get(route) ?? new Map<number, RequestLabels>();
  const found = ofRoute.get(status);
  if (found !== undefined) return found;
  const name = route === undefined ? "unknown route" : `${route.method} ${route.path}`;
  const labels = { route: name, status: toStatusLabel(status) };
  known.set(route, ofRoute.set(status, labels));
  return labels;
}

/** Providers answer the proxy with what they like: what is no usual status counts by its first digit. */
function toStatusLabel(status: number): string {
  if (status === LEFT || STATUS_CODES[status] !== undefined) return String(status);
  return `${Math.floor(status / 100)}xx`;
}

/** As nginx writes it into its log. */
export const LEFT = 499;
