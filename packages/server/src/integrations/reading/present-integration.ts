import type { integrationRoutes, RouteOutput } from "@jackfield/contract";
import type { IntegrationCredentials } from "#auth-modes";
import type { SystemContext } from "#foundation";
import type { IntegrationStats, NamedConnection } from "../hooks.ts";
import { type Integration, providerOf } from "../integration.ts";

type IntegrationBody = RouteOutput<typeof integrationRoutes.getIntegration>["data"];

interface Extra {
  readonly withWebhook?: boolean | undefined;
  /** Where the provider sends browsers back; undefined where none goes there. */
  readonly callbackUrl?: string | undefined;
  /** Null where the integration has none. */
  readonly credentials?: IntegrationCredentials | null | undefined;
  readonly fields?: IntegrationBody["fields"];
  readonly stats?: IntegrationStats | undefined;
}

/** What everyone who may list integrations sees of one, with what the caller asked for and may see. */
export function presentListed(
  ctx: Pick<SystemContext, "settings">,
  integration: Integration,
  extra: Extra = {},
): IntegrationBody {
  const { uniqueKey, provider, displayName, forwardWebhooks } = integration;
  const { createdAt, updatedAt, deletingSince } = integration;
  return {
    unique_key: uniqueKey,
    provider,
    display_name: displayName ?? providerOf(integration).display_name,
    logo: `${ctx.settings.serverUrl}/images/template-logos/${provider}.svg`,
    forward_webhooks: forwardWebhooks,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    ...(deletingSince && { deleting_since: deletingSince.toISOString() }),
    ...(extra.withWebhook === true ? { webhook_url: webhookUrlOf(ctx, integration) } : {}),
    ...(extra.credentials && { credentials: { ...extra.credentials } }),
    ...(extra.fields && { fields: extra.fields }),
    ...(extra.stats && { stats: presentStats(extra.stats) }),
  };
}

function presentStats({ connections, byState }: IntegrationStats): IntegrationBody["stats"] {
  return { connections, connections_by_state: byState };
}

/** Where the provider sends its webhooks. */
export function webhookUrlOf(
  { settings }: Pick<SystemContext, "settings">,
  { environmentId, uniqueKey }: Pick<Integration, "environmentId" | "uniqueKey">,
): string {
  return `${settings.serverUrl}/webhook/${environmentId}/${encodeURIComponent(uniqueKey)}`;
}

/** An integration with its configuration. */
export function presentIntegration(
  ctx: Pick<SystemContext, "settings">,
  integration: Integration,
  extra: Extra = {},
): IntegrationBody {
  const { integrationConfig, custom, settings, definition } = integration;
  return {
    ...presentListed(ctx, integration, extra),
    ...(extra.callbackUrl === undefined ? {} : { callback_url: extra.callbackUrl }),
    ...(isEmpty(integrationConfig) ? {} : { integration_config: { ...integrationConfig } }),
    ...(isEmpty(custom) ? {} : { custom: { ...custom } }),
    ...(isEmpty(settings) ? {} : { settings }),
    ...(definition === undefined ? {} : { provider_version: definition.version }),
  };
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0;
}

type LegacyBody = RouteOutput<typeof integrationRoutes.getIntegrationLegacy>["config"];

/** The shape of `GET /config/{key}`; everything but the first four fields only for readers of credentials. */
export function presentLegacyIntegration(
  ctx: Pick<SystemContext, "settings">,
  integration: Integration,
  extra?: {
    readonly credentials: IntegrationCredentials | null;
    readonly connections: readonly NamedConnection[];
    readonly connectionCount: number;
    readonly hasWebhookSecret: boolean;
  },
): LegacyBody {
  const { uniqueKey, provider, custom, createdAt } = integration;
  const config = { unique_key: uniqueKey, provider, syncs: [], actions: [] };
  if (extra === undefined) return config;
  const { credentials, connections, connectionCount, hasWebhookSecret } = extra;
  const { auth_mode, docs } = providerOf(integration);
  return {
    ...config,
    client_id: credentials?.client_id ?? null,
    client_secret: credentials?.client_secret ?? null,
    scopes: credentials?.scopes ?? null,
    app_link: credentials?.app_link ?? null,
    webhook_secret: credentials?.webhook_secret ?? null,
    webhook_url: webhookUrlOf(ctx, integration),
    custom: { ...custom },
    auth_mode,
    created_at: createdAt.toISOString(),
    docs: docs ?? null,
    has_webhook: true,
    has_webhook_user_defined_secret: hasWebhookSecret,
    connections: connections.map(({ id, connectionId, createdAt }) => ({
      id,
      connection_id: connectionId,
      provider_config_key: uniqueKey,
      created: createdAt.toISOString(),
    })),
    connection_count: connectionCount,
  };
}
