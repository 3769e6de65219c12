import { noteBefore } from "#audit";
import type { IntegrationCredentials } from "#auth-modes";
import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { findProvider } from "#providers";
import { integrationConnections } from "../hooks.ts";
import {
  type Integration,
  type IntegrationSettings,
  type IntegrationSettingsChange,
  providerOf,
} from "../integration.ts";
import {
  getIntegrationSecrets,
  type IntegrationSecrets,
  type PreviousSecret,
  sealSecrets,
  splitConfig,
} from "../reading/get-integration-credentials.ts";
import { lockIntegration, updateIntegrationRow } from "../store.ts";
import { checkOverrides } from "./create-integration.ts";
import { notFound } from "./delete-integration.ts";
import { type GivenCredentials, readCredentials } from "./read-credentials.ts";
import { checkCustom, refuse, resolveIntegrationConfig } from "./resolve-integration-config.ts";
import { takeWebhookSecret } from "./webhook-secret.ts";

type Values = Readonly<Record<string, string>>;

/** The changes; undefined leaves a field as it is, and an empty text clears an optional one. */
export interface IntegrationChange {
  readonly uniqueKey: string | undefined;
  readonly displayName: string | undefined;
  readonly forwardWebhooks: boolean | undefined;
  readonly credentials: GivenCredentials | undefined;
  readonly integrationConfig: Values | undefined;
  readonly custom: Values | undefined;
  readonly settings: IntegrationSettingsChange | undefined;
}

/** Changes an integration; throws not_found, and invalid_body at the field at fault. */
export async function updateIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
  change: IntegrationChange,
): Promise<Integration> {
  const changed = await withTransaction(ctx, async (ctx) => {
    const integration = await lockIntegration(ctx.db, ctx.environment.id, uniqueKey);
    if (integration === undefined) throw notFound(uniqueKey);
    noteBefore(ctx, {
      unique_key: integration.uniqueKey,
      display_name: integration.displayName,
      forward_webhooks: integration.forwardWebhooks,
      settings: integration.settings,
    });
    await checkRename(ctx, integration, change.uniqueKey);
    const known = await getIntegrationSecrets(ctx, integration);
    const taken = takeWebhookSecret(change.custom ?? {});
    const custom = change.custom === undefined ? undefined : taken.custom;
    const { secretConfig, ...resolved } = resolveChange(
      integration,
      { ...change, custom },
      known.config,
    );
    const definition = await chooseDefinition(ctx, integration, resolved.settings);
    const next = { ...integration, ...resolved, definition };
    if (change.settings !== undefined)
      checkOverrides(providerOf(withoutOverrides(next)), next.settings);
    const credentials = await changeCredentials(
      ctx,
      integration,
      known.credentials,
      change.credentials,
    );
    const sealedCredentials = await sealSecrets(ctx, integration.id, {
      credentials,
      config: secretConfig,
      webhookSecret: (taken.webhookSecret ?? known.webhookSecret) || undefined,
      previousSecret: choosePrevious(known, credentials, ctx.clock.now()),
    });
    const updated = await updateIntegrationRow(ctx.db, ctx.environment.id, {
      ...next,
      sealedCredentials,
      updatedAt: ctx.clock.now(),
    });
    if (updated !== undefined) return updated;
    return failKey(`is taken: this environment already has an integration "${next.uniqueKey}"`);
  });
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  recordChange(ctx, {
    message: `Change the integration ${changed.uniqueKey}`,
    subject: {
      integration: { id: changed.id, name: changed.uniqueKey, provider: changed.provider },
    },
    meta: { fields: given.map(([name]) => name) },
  });
  return changed;
}

/** Callers address connections by the key, so it stays while there are any. */
async function checkRename(
  ctx: EnvironmentContext,
  { id, uniqueKey }: Integration,
  wanted: string | undefined,
): Promise<void> {
  if (wanted === undefined || wanted === uniqueKey) return;
  const asked = { integrationId: id, newest: 0 };
  const { count } = await ctx.hooks.ask(integrationConnections, ctx, asked);
  if (count > 0) failKey(`cannot change while the integration has connections; it has ${count}`);
}

/** Who turns to the latest definition of a custom provider gets it at once. */
async function chooseDefinition(
  ctx: EnvironmentContext,
  { provider, definition }: Integration,
  settings: IntegrationSettings,
): Promise<Integration["definition"]> {
  if (definition === undefined || settings.provider_version !== "latest") return definition;
  return (await findProvider(ctx, provider))?.definition ?? definition;
}

function withoutOverrides(integration: Integration): Integration {
  const { overrides: _overrides, ...settings } = integration.settings;
  return { ...integration, settings };
}

function resolveChange(integration: Integration, change: IntegrationChange, secret: Values) {
  const provider = providerOf(integration);
  const custom = merged(integration.custom, change.custom);
  if (change.custom !== undefined) checkCustom(provider, custom);
  const given = change.integrationConfig;
  const known = { ...integration.integrationConfig, ...secret };
  const config =
    given === undefined ? known : resolveIntegrationConfig(provider, merged(known, given));
  const split = splitConfig(provider, config);
  return {
    uniqueKey: change.uniqueKey ?? integration.uniqueKey,
    displayName: change.displayName ?? integration.displayName,
    forwardWebhooks: change.forwardWebhooks ?? integration.forwardWebhooks,
    custom,
    integrationConfig: split.open,
    secretConfig: split.secret,
    settings: changeSettings(integration.settings, change.settings),
  };
}

function changeSettings(
  known: IntegrationSettings,
  change: IntegrationSettingsChange = {},
): IntegrationSettings {
  const isKept = ([name]: [string, unknown]) => !Object.hasOwn(change, name);
  const given = Object.entries(change).filter(([, value]) => value !== null);
  return Object.fromEntries([...Object.entries(known).filter(isKept), ...given]);
}

/** Values of another type of credentials do not mix with those that are there. */
async function changeCredentials(
  ctx: EnvironmentContext,
  integration: Integration,
  known: IntegrationCredentials | undefined,
  change: GivenCredentials | undefined,
): Promise<IntegrationCredentials | undefined> {
  if (change === undefined) return known;
  const isOther = change.type !== undefined && change.type !== known?.type;
  const base: Readonly<Record<string, unknown>> = isOther ? {} : { ...known };
  return await readCredentials(ctx, providerOf(integration), merged(base, change));
}

// Longer than the day within which a connection that nobody uses is renewed.
const PREVIOUS_SECRET_MS = 7 * DAY;

/** The secret that a change replaces stays for a while: the provider may get the new one later, or take time. */
function choosePrevious(
  { credentials: known, previousSecret }: IntegrationSecrets,
  next: IntegrationCredentials | undefined,
  now: Date,
): PreviousSecret | undefined {
  if (!known?.client_secret || known.client_id !== next?.client_id) return undefined;
  if (known.client_secret === next?.client_secret) return previousSecret;
  const until = addMs(now, PREVIOUS_SECRET_MS).toISOString();
  return { client_secret: known.client_secret, until };
}

function merged<Value>(
  base: Readonly<Record<string, Value>>,
  change: Readonly<Record<string, Value>> | undefined,
): Record<string, Value> {
  const values = Object.entries({ ...base, ...change });
  return Object.fromEntries(values.filter(([, value]) => value !== "" && value !== undefined));
}

function failKey(message: string): never {
  refuse([{ path: ["unique_key"], message }]);
  throw new Error("refuse throws for a fault");
}
