import type { deployedFunctionRoutes, RouteOutput } from "@jackfield/contract";
import type { DeployedFunction, FunctionReach, SyncDefinition } from "../deployed-function.ts";

type Presented = RouteOutput<typeof deployedFunctionRoutes.getFunction>["data"];

/** A deployed function as the API shows it; its code is shown by a route of its own. */
export function presentFunction(fn: DeployedFunction): Presented {
  const common = {
    id: fn.id,
    name: fn.name,
    version: fn.version,
    enabled: fn.enabled,
    last_deployed: fn.deployedAt.toISOString(),
    source: fn.source,
    ...presentReach(fn.definition),
  };
  switch (fn.type) {
    case "sync": {
      const { metadataModel, models, frequency, autoStart, trackDeletes } = fn.definition;
      return {
        ...common,
        type: fn.type,
        ...presentDetails(fn.definition),
        ...(metadataModel === undefined ? {} : { input: metadataModel }),
        returns: [...models],
        runs: frequency,
        auto_start: autoStart,
        track_deletes: trackDeletes,
      };
    }
    case "action": {
      const { input, models } = fn.definition;
      return {
        ...common,
        type: fn.type,
        ...presentDetails(fn.definition),
        ...(input === undefined ? {} : { input }),
        returns: [...models],
      };
    }
    case "on-event":
      return { ...common, type: fn.type, returns: [], json_schema: {}, event: fn.definition.event };
  }
}

export function presentReach({ egress, credentials }: FunctionReach) {
  return { ...(egress && { egress: [...egress] }), ...(credentials && { credentials }) };
}

function presentDetails({
  description,
  scopes,
  endpoints,
  jsonSchema,
}: {
  readonly description: string | undefined;
  readonly scopes: readonly string[];
  readonly endpoints: SyncDefinition["endpoints"];
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}) {
  return {
    ...(description === undefined ? {} : { description }),
    scopes: [...scopes],
    ...(endpoints.length > 0 && {
      endpoints: endpoints.map(({ method, path }) => ({ method, path })),
    }),
    json_schema: { definitions: jsonSchema },
  };
}
