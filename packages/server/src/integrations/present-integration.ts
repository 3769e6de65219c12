import type { integrationRoutes, RouteOutput } from "@jackfield/contract";
import type { IntegrationCredentials } from "#auth-modes";
import type { InstallationContext } from "#platform";
import { type Integration, providerOf } from "./integration.ts";

type IntegrationBody = RouteOutput<typeof integrationRoutes.getIntegration>["data"];

/** What everyone who may list integrations sees of one. */
export function presentListed(
  ctx: Pick<InstallationContext, "settings">,
  integration: Integration,
): IntegrationBody {
  const { uniqueKey, provider, displayName, forwardWebhooks, createdAt, updatedAt } = integration;
  return {
    unique_key: uniqueKey,
    provider,
    display_name: displayName ?? providerOf(integration).display_name,
    logo: `${ctx.settings.serverUrl}/images/template-logos/${provider}.svg`,
    forward_webhooks: forwardWebhooks,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

/** An integration with its configuration; `credentials` only where the caller asked and may read them. */
export function presentIntegration(
  ctx: Pick<InstallationContext, "settings">,
  integration: Integration,
  extra: {
    readonly withWebhook?: boolean;
    readonly credentials?: IntegrationCredentials | null;
  } = {},
): IntegrationBody {
  const { integrationConfig, custom, settings } = integration;
  return {
    ...presentListed(ctx, integration),
    ...(isEmpty(integrationConfig) ? {} : { integration_config: { ...integrationConfig } }),
    ...(isEmpty(custom) ? {} : { custom: { ...custom } }),
    ...(isEmpty(settings) ? {} : { settings: presentSettings(settings) }),
    // No provider of today's catalogue has its webhooks routed.
    ...(extra.withWebhook === true ? { webhook_url: null } : {}),
    ...(extra.credentials === undefined
      ? {}
      : { credentials: presentCredentials(extra.credentials) }),
  };
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0;
}

function presentSettings({ allowed_hosts: hosts }: Integration["settings"]) {
  return hosts === undefined ? {} : { allowed_hosts: [...hosts] };
}

function presentCredentials(credentials: IntegrationCredentials | null) {
  if (credentials === null) return null;
  const { type, client_id, client_secret, scopes, webhook_secret } = credentials;
  return {
    type,
    client_id,
    client_secret,
    scopes: scopes ?? null,
    webhook_secret: webhook_secret ?? null,
  };
}
