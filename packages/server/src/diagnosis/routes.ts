import type { diagnosisRoutes } from "@jackfield/contract";
import { getConnectionForCall } from "#connections";
import type { RouteHandlers } from "#platform/http";
import { diagnoseConnection } from "./diagnose-connection.ts";

export const diagnosisHandlers = {
  diagnoseConnection: async (ctx, { params, query }) => {
    const name = {
      integrationKey: query.provider_config_key,
      connectionId: params.connectionId,
    };
    const found = await getConnectionForCall(ctx, name, { connection: "not_found" });
    return { data: await diagnoseConnection(ctx, found) };
  },
} satisfies RouteHandlers<typeof diagnosisRoutes>;
