import type { deployedFunctionRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import {
  getVersionCode,
  listEnvironmentFunctions,
  listFunctionVersions,
  listPastDeployments,
  presentDeployments,
} from "./list-history.ts";
import { rollBack } from "./roll-back.ts";

const DEFAULT_LIMIT = 50;

type Routes = Pick<
  typeof deployedFunctionRoutes,
  | "listEnvironmentFunctions"
  | "listFunctionVersions"
  | "getFunctionVersionCode"
  | "listPastDeployments"
  | "rollBackDeployment"
>;

export const functionHistoryHandlers = {
  listEnvironmentFunctions: async (ctx, { query }) => {
    const { provider_config_key: integrationKey, type, search, cursor } = query;
    const limit = query.limit ?? DEFAULT_LIMIT;
    return await listEnvironmentFunctions(ctx, { integrationKey, type, search, limit, cursor });
  },
  listFunctionVersions: async (ctx, { params, query }) => {
    const { uniqueKey: integrationKey, name } = params;
    return { data: await listFunctionVersions(ctx, { integrationKey, name, type: query.type }) };
  },
  getFunctionVersionCode: async (ctx, { params, query }) => {
    const { uniqueKey: integrationKey, name, version } = params;
    const wanted = { integrationKey, name, type: query.type, versionId: Number(version) };
    return await getVersionCode(ctx, wanted);
  },
  listPastDeployments: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    return await listPastDeployments(ctx, { limit, cursor });
  },
  rollBackDeployment: async (ctx, { params }) => {
    const made = await rollBack(ctx, params.id);
    const [data] = await presentDeployments(ctx, [made]);
    if (data === undefined) throw new Error("the rollback was not written");
    return { data };
  },
} satisfies RouteHandlers<Routes>;
