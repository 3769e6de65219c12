import type { agentRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { listTools } from "./list-tools.ts";

const DEFAULT_LIMIT = 1000;

export const agentToolHandlers = {
  listAgentTools: async (ctx, { query }) => {
    const { source, integration, cursor, limit = DEFAULT_LIMIT } = query;
    return await listTools(ctx, { source, integration, cursor, limit });
  },
} satisfies RouteHandlers<typeof agentRoutes>;
