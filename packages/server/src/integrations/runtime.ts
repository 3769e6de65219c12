import type { RuntimeParams } from "@jackfield/contract/runtime";
import type { EnvironmentContext } from "#platform";
import { getCachedIntegration } from "./reading/get-integration.ts";
import { getIntegrationCredentials } from "./reading/get-integration-credentials.ts";
import { paginationOf } from "./reading/pagination-of.ts";
import { presentIntegration } from "./reading/present-integration.ts";

export interface Call {
  readonly run: { readonly integration: string };
  readonly params: RuntimeParams<"getIntegration">;
}

export interface PaginationCall {
  readonly params: RuntimeParams<"getPagination">;
}

/** Calls of running functions that this slice answers; a function reads its own integration. */
export const integrationRuntime = {
  getIntegration: async (ctx: EnvironmentContext, { run, params }: Call) => {
    const integration = await getCachedIntegration(ctx, run.integration);
    const withWebhook = params.include.includes("webhook");
    if (!params.include.includes("credentials")) {
      return { value: presentIntegration(ctx, integration, { withWebhook }) };
    }
    const credentials = (await getIntegrationCredentials(ctx, integration)) ?? null;
    return { value: presentIntegration(ctx, integration, { withWebhook, credentials }) };
  },
  getPagination: async (ctx: EnvironmentContext, { params }: PaginationCall) => {
    const integration = await getCachedIntegration(ctx, params.providerConfigKey);
    return { value: paginationOf(integration) ?? null };
  },
};
