import type { RuntimeParams } from "@jackfield/contract/runtime";
import { AppError, type EnvironmentContext } from "#foundation";
import type { RunIdentity } from "#slice";
import { getCachedIntegration } from "./reading/get-integration.ts";
import { getIntegrationCredentials } from "./reading/get-integration-credentials.ts";
import { paginationOf } from "./reading/pagination-of.ts";
import { presentIntegration } from "./reading/present-integration.ts";

export interface Call {
  readonly run: Pick<RunIdentity, "integration" | "proxyOnly">;
  readonly params: RuntimeParams<"getIntegration">;
}

export interface PaginationCall {
  readonly params: RuntimeParams<"getPagination">;
}

/** Calls of running functions that this slice answers; a function reads its own integration. */
export const integrationRuntime = {
  getIntegration: async (ctx: EnvironmentContext, { run, params }: Call) => {
    const wantsCredentials = params.include.includes("credentials");
    if (wantsCredentials && run.proxyOnly === true) throw new AppError("credentials_withheld");
    const integration = await getCachedIntegration(ctx, run.integration);
    const withWebhook = params.include.includes("webhook");
    if (!wantsCredentials) {
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
