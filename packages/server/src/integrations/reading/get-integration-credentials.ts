import type { Provider } from "@jackfield/catalogue";
import type { IntegrationCredentials } from "#auth-modes";
import type { EnvironmentContext } from "#foundation";
import { type AssociatedData, openJson, sealJson } from "#vault";
import { findProviderOf, type Integration, type WithProvider } from "../integration.ts";

type Values = Readonly<Record<string, string>>;

/** What of an integration is secret, and so sealed: its own credentials, and settings that the entry calls secret. */
export interface IntegrationSecrets {
  readonly credentials: IntegrationCredentials | undefined;
  readonly config: Values;
  /** Proves webhooks of the provider, where it is no part of the credentials. */
  readonly webhookSecret?: string | undefined;
  readonly previousSecret?: PreviousSecret | undefined;
}

/** The client secret before the last change: the provider may not know the new one yet. */
export interface PreviousSecret {
  readonly client_secret: string;
  /** ISO 8601; tried no longer than that. */
  readonly until: string;
}

type Sealed = Pick<Integration, "id" | "sealedCredentials">;

/** The integration's OAuth client and the like; undefined where it has none. */
export async function getIntegrationCredentials(
  ctx: EnvironmentContext,
  integration: Sealed,
): Promise<IntegrationCredentials | undefined> {
  return (await getIntegrationSecrets(ctx, integration)).credentials;
}

/** The scopes that it asks for when a connection is authorized. */
export async function listRequestedScopes(
  ctx: EnvironmentContext,
  integration: Sealed & WithProvider,
): Promise<string[]> {
  const own = (await getIntegrationCredentials(ctx, integration))?.scopes ?? "";
  const entry = findProviderOf(integration);
  const required = entry !== undefined && "required_scopes" in entry ? entry.required_scopes : [];
  return [...required, ...own.split(/[,\s]+/).filter((scope) => scope !== "")];
}

export async function getIntegrationSecrets(
  ctx: EnvironmentContext,
  { id, sealedCredentials }: Sealed,
): Promise<IntegrationSecrets> {
  if (sealedCredentials === undefined) return { credentials: undefined, config: {} };
  const opened = await openJson(ctx, credentialsAad(ctx, id), sealedCredentials);
  const {
    secret_config: config = {},
    custom_webhook_secret: webhookSecret,
    previous_secret: previous,
    ...credentials
  } = asSealed(opened);
  return {
    credentials: isCredentials(credentials) ? credentials : undefined,
    config,
    webhookSecret,
    previousSecret:
      previous !== undefined && new Date(previous.until) > ctx.clock.now() ? previous : undefined,
  };
}

/** What is stored; undefined where nothing is secret. */
export async function sealSecrets(
  ctx: EnvironmentContext,
  id: number,
  { credentials, config, webhookSecret, previousSecret }: IntegrationSecrets,
): Promise<Buffer | undefined> {
  const hasConfig = Object.keys(config).length > 0;
  if (credentials === undefined && !hasConfig && webhookSecret === undefined) return undefined;
  const sealed = {
    ...credentials,
    ...(hasConfig ? { secret_config: config } : {}),
    ...(webhookSecret === undefined ? {} : { custom_webhook_secret: webhookSecret }),
    ...(previousSecret === undefined ? {} : { previous_secret: previousSecret }),
  };
  return await sealJson(ctx, credentialsAad(ctx, id), sealed);
}

/** Settings apart: those that anyone may see, and those that are sealed. */
export function splitConfig(
  { integration_config: fields }: Pick<Provider, "integration_config">,
  config: Values,
): { readonly open: Values; readonly secret: Values } {
  const isSecret = ([name]: [string, string]) => fields[name]?.secret === true;
  const entries = Object.entries(config);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret: Object.fromEntries(entries.filter(isSecret)),
  };
}

export function credentialsAad(ctx: EnvironmentContext, id: number): AssociatedData {
  const environmentId = ctx.environment.id;
  return { environmentId, table: "integrations", column: "credentials", row: String(id) };
}

// Authenticated encryption: what opens is what sealSecrets sealed.
function asSealed(opened: unknown): SealedSecrets {
  return opened as SealedSecrets;
}

type SealedSecrets = Partial<IntegrationCredentials> & {
  readonly secret_config?: Values;
  readonly custom_webhook_secret?: string;
  readonly previous_secret?: PreviousSecret;
};

function isCredentials(
  credentials: Partial<IntegrationCredentials>,
): credentials is IntegrationCredentials {
  return credentials.type !== undefined;
}

/** What proves that a webhook is the provider's. */
export interface WebhookSecrets {
  readonly webhookSecret: string | undefined;
  readonly credentials: IntegrationCredentials | undefined;
}

export async function getWebhookSecrets(
  ctx: EnvironmentContext,
  integration: Sealed,
): Promise<WebhookSecrets> {
  const { credentials, webhookSecret } = await getIntegrationSecrets(ctx, integration);
  return { credentials, webhookSecret: credentials?.webhook_secret || webhookSecret };
}
