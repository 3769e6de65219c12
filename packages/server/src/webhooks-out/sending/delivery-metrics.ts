import { defineCounter, defineHistogram } from "#platform/instruments";
import type { Attempt } from "../delivery.ts";

const attempts = defineCounter({
  name: "svc_deliveries_total",
  help: "Attempts to deliver a webhook, by what is next: `waiting` is tried again.",
  unit: "{attempt}",
  labels: ["outcome"],
});
const durations = defineHistogram({
  name: "svc_delivery_duration_seconds",
  help: "How long receivers took to answer.",
  unit: "s",
  labels: [],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
});

const noLabels = {} as const;

export function countAttempt(
  attempt: Attempt,
  outcome: "waiting" | "delivered" | "failed",
  durationMs: number,
): void {
  attempts.add(1, { outcome });
  if (attempt.kind === "answered") durations.record(durationMs / 1000, noLabels);
}
