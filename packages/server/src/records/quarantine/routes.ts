import type { recordQuarantineRoutes } from "@jackfield/contract";
import { getConnection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getIntegration } from "#integrations";
import { storedModel } from "../model.ts";
import { listQuarantine, listQuarantineSamples } from "./list-quarantine.ts";

const DEFAULT_LIMIT = 20;

export const recordQuarantineHandlers = {
  listQuarantine: async (ctx, { query }) => {
    const { provider_config_key: integration, connection_id: connectionId, model } = query;
    const connection =
      integration === undefined || connectionId === undefined
        ? undefined
        : await findConnection(ctx, integration, connectionId);
    const { limit = DEFAULT_LIMIT, cursor } = query;
    return await listQuarantine(ctx, { connection, model, limit, cursor });
  },
  listQuarantineSamples: async (ctx, { query }) => {
    const { provider_config_key: integration, connection_id: connectionId, reason } = query;
    const connection = await findConnection(ctx, integration, connectionId);
    const model = storedModel(query.model, query.variant ?? "base");
    const { limit = DEFAULT_LIMIT } = query;
    return await listQuarantineSamples(ctx, { connection, model, reason, limit });
  },
} satisfies RouteHandlers<typeof recordQuarantineRoutes>;

/** Throws unknown_provider_config and unknown_connection. */
export async function findConnection(ctx: EnvironmentContext, key: string, connectionId: string) {
  const integration = await getIntegration(ctx, key);
  return (await getConnection(ctx, { integration, connectionId })).uuid;
}
