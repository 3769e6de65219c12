import type { InstallationContext } from "#platform";
import { aimEgress, type Egress } from "#platform/egress";
import type { Integration } from "./integration.ts";

/** How an integration's calls leave: to the provider, or to the simulator that stands in for it. */
export function wayOut(
  { http }: Pick<InstallationContext, "http">,
  { settings }: Pick<Integration, "settings">,
): Egress {
  const { simulator_url: simulatorUrl } = settings.overrides ?? {};
  return simulatorUrl === undefined ? http : aimEgress(http, simulatorUrl);
}
