import type { stagedDeploymentRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { presentResult } from "../deploy/present-result.ts";
import { readRevision } from "../history/deployment.ts";
import { commitStaged, planStaged } from "./commit.ts";
import { stageBundles, stageDeployment, stageFunctions } from "./stage.ts";

export const stagedDeploymentHandlers = {
  stageDeployment: async (ctx, { body }) => {
    const { id, expiresAt } = await stageDeployment(ctx, body);
    return { id, expires_at: expiresAt.toISOString() };
  },
  stageFunctions: async (ctx, { params, body }) => ({
    missing_bundles: await stageFunctions(ctx, params.id, body),
  }),
  stageBundles: async (ctx, { params, body }) => ({
    bundles: await stageBundles(ctx, params.id, body.bundles),
  }),
  planStagedDeployment: async (ctx, { params, query }) => await planStaged(ctx, params.id, query),
  commitStagedDeployment: async (ctx, { params, headers }) =>
    (await commitStaged(ctx, params.id, readRevision(headers))).map(presentResult),
} satisfies RouteHandlers<typeof stagedDeploymentRoutes>;
