import type { SystemContext } from "#foundation";
import { aimEgress, type Egress } from "#foundation/egress";
import type { Integration } from "../integration.ts";

/** The egress of an integration: to the provider, or to the simulator that replaces it. */
export function egressOf(
  { http }: Pick<SystemContext, "http">,
  { settings }: Pick<Integration, "settings">,
): Egress {
  const { simulator_url: simulatorUrl } = settings.overrides ?? {};
  return simulatorUrl === undefined ? http : aimEgress(http, simulatorUrl);
}
