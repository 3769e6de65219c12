import type { RateLimit } from "../../data/observe/rate-limits.ts";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

/** The list, narrowed to an integration. */
export function rateLimitsPage(environment: string, integration: string): Target {
  return { to: `${homeOf(environment)}/rate-limits`, search: { integration } };
}

export function keyOf({ provider_config_key: integration, connection_id: id }: RateLimit): string {
  return id === null ? integration : `${integration}/${id}`;
}
