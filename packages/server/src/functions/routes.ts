import type { functionRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#platform/http";
import { type DeploymentResult, deployFunctions } from "./deploy-functions.ts";
import { planDeployment } from "./plan-deployment.ts";

export const functionHandlers = {
  deployFunctions: async (ctx, { body }) => (await deployFunctions(ctx, body)).map(presentResult),
  planDeployment: async (ctx, { body }) => await planDeployment(ctx, body),
} satisfies RouteHandlers<typeof functionRoutes>;

function presentResult({ fn, integrationKey }: DeploymentResult) {
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

function presentSchemas(fn: DeploymentResult["fn"]) {
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
