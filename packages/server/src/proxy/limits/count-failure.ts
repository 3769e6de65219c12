import { AppError } from "#foundation";
import { defineCounter } from "#foundation/instruments";
import type { CallEnd, ProviderCall } from "../call.ts";

const failures = defineCounter({
  name: "svc_provider_failures_total",
  help: "Failed calls to providers, by provider, and by status or error code.",
  unit: "{call}",
  labels: ["provider", "reason"],
});

/** Counts what the provider is at fault for, or refuses: other 4xx are the caller's business. */
export function countFailure({ provider, definition }: ProviderCall["integration"], end: CallEnd) {
  const reason = reasonOf(end);
  if (reason === undefined) return;
  failures.add(1, { provider: definition === undefined ? provider : "custom", reason });
}

const refusals: ReadonlySet<number> = new Set([401, 403, 429]);

function reasonOf(end: CallEnd): string | undefined {
  if ("error" in end) {
    if (!(end.error instanceof AppError)) return "server_error";
    return end.error.status >= 500 ? end.error.code : undefined;
  }
  if (end.status >= 500) return "5xx";
  return refusals.has(end.status) ? String(end.status) : undefined;
}
