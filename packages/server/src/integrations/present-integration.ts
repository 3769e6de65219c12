import type { Provider } from "@jackfield/catalogue";
import type { integrationRoutes, RouteOutput } from "@jackfield/contract";
import { getAuthMode, type IntegrationCredentials } from "#auth-modes";
import type { InstallationContext } from "#platform";
import { type Integration, providerOf } from "./integration.ts";

type IntegrationBody = RouteOutput<typeof integrationRoutes.getIntegration>["data"];

interface Extra {
  readonly withWebhook?: boolean | undefined;
  /** Null where the integration has none. */
  readonly credentials?: IntegrationCredentials | null | undefined;
}

/** What everyone who may list integrations sees of one, with what the caller asked for and may see. */
export function presentListed(
  ctx: Pick<InstallationContext, "settings">,
  integration: Integration,
  extra: Extra = {},
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
    // No provider of today's catalogue has its webhooks routed.
    ...(extra.withWebhook === true ? { webhook_url: null } : {}),
    ...(extra.credentials === undefined
      ? {}
      : { credentials: presentCredentials(extra.credentials, providerOf(integration)) }),
  };
}

/** An integration with its configuration. */
export function presentIntegration(
  ctx: Pick<InstallationContext, "settings">,
  integration: Integration,
  extra: Extra = {},
): IntegrationBody {
  const { integrationConfig, custom, settings } = integration;
  return {
    ...presentListed(ctx, integration, extra),
    ...(isEmpty(integrationConfig) ? {} : { integration_config: { ...integrationConfig } }),
    ...(isEmpty(custom) ? {} : { custom: { ...custom } }),
    ...(isEmpty(settings) ? {} : { settings }),
  };
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0;
}

/** Every field that the mode knows, null where it is not set. */
function presentCredentials(credentials: IntegrationCredentials | null, provider: Provider) {
  if (credentials === null) return null;
  const names = Object.keys(getAuthMode(provider.auth_mode).clientFields ?? {});
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return { ...empty, ...credentials };
}

type LegacyBody = RouteOutput<typeof integrationRoutes.getIntegrationLegacy>["config"];

/** The shape of `GET /config/{key}`; everything but the first four fields only for readers of credentials. */
export function presentLegacyIntegration(
  integration: Integration,
  extra?: {
    readonly credentials: IntegrationCredentials | null;
    readonly connectionCount: number;
  },
): LegacyBody {
  const { uniqueKey, provider, custom, createdAt } = integration;
  const config = { unique_key: uniqueKey, provider, syncs: [], actions: [] };
  if (extra === undefined) return config;
  const { credentials, connectionCount } = extra;
  const { auth_mode, docs } = providerOf(integration);
  return {
    ...config,
    client_id: credentials?.client_id ?? null,
    client_secret: credentials?.client_secret ?? null,
    scopes: credentials?.scopes ?? null,
    app_link: credentials?.app_link ?? null,
    webhook_secret: credentials?.webhook_secret ?? null,
    webhook_url: null,
    custom: { ...custom },
    auth_mode,
    created_at: createdAt.toISOString(),
    docs: docs ?? null,
    has_webhook: false,
    has_webhook_user_defined_secret: false,
    connection_count: connectionCount,
  };
}
