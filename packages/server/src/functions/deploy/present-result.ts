import type { AppliedChange } from "./apply-changes.ts";

/** One function of a deployment, as the API tells it. */
export function presentResult({ fn, integrationKey }: AppliedChange) {
  return {
    id: fn.id,
    name: fn.name,
    version: fn.version,
    providerConfigKey: integrationKey,
    type: fn.type,
    last_deployed: fn.deployedAt.toISOString(),
    ...presentSchemas(fn),
  };
}

function presentSchemas(fn: AppliedChange["fn"]) {
  switch (fn.type) {
    case "sync": {
      const { metadataModel, models, frequency } = fn.definition;
      return { input: metadataModel ?? null, models: [...models], runs: frequency };
    }
    case "action":
      return {
        input: fn.definition.input ?? null,
        models: [...fn.definition.models],
        runs: null,
      };
    case "on-event":
      return { input: null, models: [], runs: null };
  }
}
