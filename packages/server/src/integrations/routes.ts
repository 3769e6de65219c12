import { hasScope, type integrationRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { createIntegration } from "./create-integration.ts";
import { deleteIntegration, notFound } from "./delete-integration.ts";
import { getIntegrationCredentials } from "./get-integration-credentials.ts";
import type { Integration } from "./integration.ts";
import { listIntegrations } from "./list-integrations.ts";
import { presentIntegration, presentListed } from "./present-integration.ts";
import { findIntegration } from "./store.ts";

export const integrationHandlers = {
  listIntegrations: async (ctx) => {
    const data = (await listIntegrations(ctx)).map((found) => presentListed(ctx, found));
    return { configs: data, data };
  },
  getIntegration: async (ctx, { params, query }) => {
    const integration = await findIntegration(ctx.db, ctx.environment.id, params.uniqueKey);
    if (integration === undefined) throw notFound(params.uniqueKey);
    const include = new Set(query.include);
    const withWebhook = include.has("webhook");
    if (!include.has("credentials") || !mayReadCredentials(ctx)) {
      return { data: presentIntegration(ctx, integration, { withWebhook }) };
    }
    const credentials = await readCredentials(ctx, integration);
    return { data: presentIntegration(ctx, integration, { withWebhook, credentials }) };
  },
  createIntegration: async (ctx, { body }) => {
    const integration = await createIntegration(ctx, {
      provider: body.provider,
      uniqueKey: body.unique_key,
      displayName: body.display_name,
      forwardWebhooks: body.forward_webhooks ?? true,
      credentials: body.credentials,
      integrationConfig: body.integration_config ?? {},
      custom: body.custom ?? {},
      settings: body.settings ?? {},
    });
    return { data: presentIntegration(ctx, integration) };
  },
  deleteIntegration: async (ctx, { params }) => {
    await deleteIntegration(ctx, params);
    return { success: true };
  },
} satisfies RouteHandlers<typeof integrationRoutes>;

function mayReadCredentials({ actor }: EnvironmentContext): boolean {
  return (
    actor.kind === "key" && hasScope(actor.scopes, "environment:integrations:read_credentials")
  );
}

async function readCredentials(ctx: EnvironmentContext, integration: Integration) {
  return (await getIntegrationCredentials(ctx, integration)) ?? null;
}
