import type { recordDriftRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { findConnection } from "../quarantine/routes.ts";
import { listDrift } from "./list-drift.ts";

const DEFAULT_LIMIT = 20;

export const recordDriftHandlers = {
  listDrift: async (ctx, { query }) => {
    const { provider_config_key: integration, connection_id: connectionId, model } = query;
    const connection =
      integration === undefined || connectionId === undefined
        ? undefined
        : await findConnection(ctx, integration, connectionId);
    const { limit = DEFAULT_LIMIT, cursor, fields } = query;
    return await listDrift(ctx, { connection, model, isWhole: fields === "all", limit, cursor });
  },
} satisfies RouteHandlers<typeof recordDriftRoutes>;
