import type { diagnosisRoutes } from "@jackfield/contract";
import { type ConnectionForCall, getConnectionForCall } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { diagnoseConnection } from "./diagnose-connection.ts";
import { summarizeCredentials } from "./summarize-credentials.ts";

export const diagnosisHandlers = {
  diagnoseConnection: async (ctx, call) => ({
    data: await diagnoseConnection(ctx, await getNamed(ctx, call)),
  }),
  getCredentialSummary: async (ctx, call) => ({
    data: await summarizeCredentials(ctx, await getNamed(ctx, call)),
  }),
} satisfies RouteHandlers<typeof diagnosisRoutes>;

async function getNamed(
  ctx: EnvironmentContext,
  {
    params: { connectionId },
    query: { provider_config_key: integrationKey },
  }: {
    readonly params: { readonly connectionId: string };
    readonly query: { readonly provider_config_key: string };
  },
): Promise<ConnectionForCall> {
  return await getConnectionForCall(
    ctx,
    { integrationKey, connectionId },
    { connection: "not_found" },
  );
}
