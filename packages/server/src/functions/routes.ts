import type { functionRoutes, stagedDeploymentRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { deployFunctions } from "./deploy/deploy-functions.ts";
import { planDeployment } from "./deploy/plan-deployment.ts";
import { presentResult } from "./deploy/present-result.ts";
import { readRevision } from "./history/deployment.ts";
import { stagedDeploymentHandlers } from "./staging/routes.ts";

export const functionHandlers = {
  deployFunctions: async (ctx, { body, headers }) => {
    return (await deployFunctions(ctx, body, undefined, readRevision(headers))).map(presentResult);
  },
  planDeployment: async (ctx, { body, query }) => await planDeployment(ctx, body, query),
  ...stagedDeploymentHandlers,
} satisfies RouteHandlers<typeof functionRoutes & typeof stagedDeploymentRoutes>;
