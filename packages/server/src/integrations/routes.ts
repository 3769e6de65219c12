import type { integrationRoutes } from "@jackfield/contract";
import { AppError, type EnvironmentContext, holdsScope } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { findProvider } from "#providers";
import { type IntegrationStats, integrationConnections, integrationStats } from "./hooks.ts";
import { type Integration, providerOf } from "./integration.ts";
import { findCallbackUrlOf } from "./reading/find-callback-url-of.ts";
import { getIntegration } from "./reading/get-integration.ts";
import {
  getIntegrationCredentials,
  getWebhookSecrets,
} from "./reading/get-integration-credentials.ts";
import { listIntegrations } from "./reading/list-integrations.ts";
import {
  presentIntegration,
  presentLegacyIntegration,
  presentListed,
} from "./reading/present-integration.ts";
import { presentSetFields } from "./reading/present-set-fields.ts";
import { revealIntegrationField } from "./reveal/reveal-field.ts";
import { createIntegration } from "./save/create-integration.ts";
import { deleteIntegration, notFound } from "./save/delete-integration.ts";
import { updateIntegration } from "./save/update-integration.ts";
import { findIntegration } from "./store.ts";

/** Connections that `GET /config/{key}` names; `GET /connections` pages through all. */
const LISTED_BESIDE = 100;

const NO_CONNECTIONS: IntegrationStats = {
  connections: 0,
  byState: { ok: 0, refreshing: 0, backoff: 0, needs_reauthorization: 0, pending: 0 },
};

export const integrationHandlers = {
  listIntegrations: async (ctx, { query }) => {
    const include = new Set(query.include);
    const withWebhook = include.has("webhook");
    const withCredentials = include.has("credentials");
    if (withCredentials) requireListCredentials(ctx);
    const stats = include.has("stats") ? await readStats(ctx) : undefined;
    const data = await Promise.all(
      (await listIntegrations(ctx)).map(async (found) => {
        const credentials = withCredentials ? await readCredentials(ctx, found) : undefined;
        const counts = stats && (stats.get(found.id) ?? NO_CONNECTIONS);
        return presentListed(ctx, found, { withWebhook, credentials, stats: counts });
      }),
    );
    return { configs: data, data };
  },
  getIntegration: async (ctx, { params, query }) => {
    const integration = await findIntegration(ctx.db, ctx.environment.id, params.uniqueKey);
    if (integration === undefined) throw await notCreated(ctx, params.uniqueKey);
    const include = new Set(query.include);
    const withWebhook = include.has("webhook");
    const callbackUrl = await findCallbackUrlOf(ctx, providerOf(integration));
    const fields = include.has("fields") ? await presentSetFields(ctx, integration) : undefined;
    const mayShow = include.has("credentials") && mayReadCredentials(ctx);
    const credentials = mayShow ? await readCredentials(ctx, integration) : undefined;
    const extra = { withWebhook, callbackUrl, fields, credentials };
    return { data: presentIntegration(ctx, integration, extra) };
  },
  createIntegration: async (ctx, { body }) => {
    const integration = await createIntegration(ctx, {
      provider: body.provider,
      uniqueKey: body.unique_key,
      displayName: body.display_name,
      forwardWebhooks: body.forward_webhooks ?? true,
      credentials: body.credentials,
      integrationConfig: body.integration_config ?? {},
      custom: {},
      settings: body.settings ?? {},
    });
    const callbackUrl = await findCallbackUrlOf(ctx, providerOf(integration));
    return { data: presentIntegration(ctx, integration, { callbackUrl }) };
  },
  updateIntegration: async (ctx, { params, body }) => {
    const integration = await updateIntegration(ctx, params.uniqueKey, {
      uniqueKey: body.unique_key,
      displayName: body.display_name,
      forwardWebhooks: body.forward_webhooks,
      credentials: body.credentials,
      integrationConfig: body.integration_config,
      custom: body.custom,
      settings: body.settings,
    });
    const callbackUrl = await findCallbackUrlOf(ctx, providerOf(integration));
    return { data: presentIntegration(ctx, integration, { callbackUrl }) };
  },
  getIntegrationLegacy: async (ctx, { params, query }) => {
    const integration = await getIntegration(ctx, params.providerConfigKey);
    if (query.include_creds !== true) {
      return { config: presentLegacyIntegration(ctx, integration) };
    }
    if (!mayReadCredentials(ctx)) {
      throw new AppError(
        "forbidden",
        "include_creds needs the scope environment:integrations:read_credentials.",
      );
    }
    const { id } = integration;
    const credentials = await readCredentials(ctx, integration);
    const newest = mayListConnections(ctx) ? LISTED_BESIDE : 0;
    const found = await ctx.hooks.ask(integrationConnections, ctx, { integrationId: id, newest });
    const { count: connectionCount, newest: connections } = found;
    const { webhookSecret } = await getWebhookSecrets(ctx, integration);
    const hasWebhookSecret = webhookSecret !== undefined;
    const extra = { credentials, connections, connectionCount, hasWebhookSecret };
    return { config: presentLegacyIntegration(ctx, integration, extra) };
  },
  revealIntegrationField: async (ctx, { params, body }) => ({
    data: await revealIntegrationField(ctx, { uniqueKey: params.uniqueKey, field: body.field }),
  }),
  deleteIntegration: async (ctx, { params }) => {
    await deleteIntegration(ctx, params);
    return { success: true };
  },
} satisfies RouteHandlers<typeof integrationRoutes>;

/** A key that is a provider's id is what the first steps use: the answer says how to continue. */
async function notCreated(ctx: EnvironmentContext, uniqueKey: string): Promise<AppError> {
  const found = await findProvider(ctx, uniqueKey);
  if (found === undefined) return notFound(uniqueKey);
  const callbackUrl = await findCallbackUrlOf(ctx, found.provider);
  const toRegister =
    callbackUrl === undefined
      ? ""
      : ` Callback URL to register at ${found.provider.display_name}: ${callbackUrl}`;
  return new AppError(
    "not_found",
    `This environment has no integration "${uniqueKey}"; create it with POST /integrations.${toRegister}`,
  );
}

function mayReadCredentials({ actor }: EnvironmentContext): boolean {
  return actor.kind !== "user" && holdsScope(actor, "environment:integrations:read_credentials");
}

function mayListConnections({ actor }: EnvironmentContext): boolean {
  return holdsScope(actor, "environment:connections:list");
}

function requireListCredentials({ actor }: EnvironmentContext): void {
  const scope = "environment:integrations:list_credentials";
  if (actor.kind !== "user" && holdsScope(actor, scope)) return;
  throw new AppError("forbidden", `include=credentials needs the scope ${scope}.`);
}

async function readStats(ctx: EnvironmentContext): Promise<ReadonlyMap<number, IntegrationStats>> {
  if (!mayListConnections(ctx)) {
    throw new AppError("forbidden", "include=stats needs the scope environment:connections:list.");
  }
  return await ctx.hooks.ask(integrationStats, ctx, {});
}

async function readCredentials(ctx: EnvironmentContext, integration: Integration) {
  return (await getIntegrationCredentials(ctx, integration)) ?? null;
}
