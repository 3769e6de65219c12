import type { Integration } from "#integrations";
import { defineCounter } from "#platform/instruments";
import type { RefreshOutcome } from "./refresh-outcome.ts";

const refreshes = defineCounter({
  name: "svc_refreshes_total",
  help: "Attempts to renew credentials, by provider; those of environments' own providers are `custom`.",
  unit: "{attempt}",
  labels: ["provider", "outcome"],
});

/** One attempt: `gone` where the connection was deleted meanwhile, `error` where something of ours failed. */
export function countRefresh(
  integration: Integration,
  outcome: RefreshOutcome["kind"] | "error" | "taken_over",
): void {
  refreshes.add(1, { provider: providerOf(integration), outcome });
}

/** As metrics and traces name it: those of environments' own are one. */
export function providerOf({ provider, definition }: Integration): string {
  return definition === undefined ? provider : "custom";
}
