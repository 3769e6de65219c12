import type { Simulator } from "./simulator.ts";
import type { SimulatorHost } from "./simulator-host.ts";

type Host = Pick<SimulatorHost, "isAvailable" | "find">;

/** The simulator as everybody sees it who sees integrations: without its client. */
export function presentSimulator(host: Host) {
  const simulator = host.find();
  const idle = host.isAvailable ? ("stopped" as const) : ("unavailable" as const);
  return {
    state: simulator === undefined ? idle : ("running" as const),
    provider: simulator?.provider ?? null,
    origin: simulator?.origin ?? null,
    fault: simulator?.fault ?? null,
    calls: simulator?.counts.calls ?? 0,
    refreshes: simulator?.counts.refreshes ?? 0,
    functions: simulator?.functions.map((each) => ({ ...each })) ?? [],
  };
}

/** With the client of an integration, for who may make one. */
export function presentStarted(host: Host, { integration }: Simulator) {
  return { ...presentSimulator(host), integration: toJson(integration) };
}

/** Another package has written it, as JSON. */
function toJson(integration: object): Record<string, never> {
  return integration as Record<string, never>;
}
