import { getProvider, overrideProvider, type Provider } from "@jackfield/catalogue";
import type { integrationSettings, integrationSettingsChange } from "@jackfield/contract";
import type { infer as Infer } from "zod";
import { AppError, type EnvironmentId } from "#foundation";
import { type ProviderDefinition, toProvider } from "#providers";

/** A provider, configured. */
export interface Integration {
  readonly id: number;
  readonly environmentId: EnvironmentId;
  readonly uniqueKey: string;
  readonly provider: string;
  /** The entry's name unless set. */
  readonly displayName: string | undefined;
  readonly forwardWebhooks: boolean;
  readonly integrationConfig: Readonly<Record<string, string>>;
  /** Values for entries that declare no configuration of their own. */
  readonly custom: Readonly<Record<string, string>>;
  readonly settings: IntegrationSettings;
  /** Of a custom provider: what the integration works by. */
  readonly definition: ProviderDefinition | undefined;
  readonly sealedCredentials: Buffer | undefined;
  /** It goes in the background, with its connections. */
  readonly deletingSince: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type IntegrationSettings = Infer<typeof integrationSettings>;
/** Null takes a setting back to its default. */
export type IntegrationSettingsChange = Infer<typeof integrationSettingsChange>;

/** What tells by which entry an integration works. */
export type WithProvider = Pick<Integration, "provider"> &
  Partial<Pick<Integration, "definition" | "settings">>;

/**
 * The entry that an integration works by: its own definition of a custom provider, else the folder's or the
 * built-in one; single facts are the integration's where its settings say so. Throws unknown_provider_template
 * for one whose file was taken away.
 */
export function providerOf(integration: WithProvider): Provider {
  const provider = findProviderOf(integration);
  if (provider !== undefined) return provider;
  const message = `There is no provider ${integration.provider} any more; put its file back into SVC_PROVIDERS_DIR.`;
  throw new AppError("unknown_provider_template", message);
}

/** The same; undefined where there is none. */
export function findProviderOf({
  provider: id,
  definition,
  settings,
}: WithProvider): Provider | undefined {
  const provider = definition === undefined ? getProvider(id) : toProvider(definition);
  if (provider === undefined || settings?.overrides === undefined) return provider;
  return withOverrides(provider, settings.overrides);
}

// Kept with its key: made of the entry and the settings alone.
const overridden = new WeakMap<Provider, WeakMap<object, Provider>>();

/** The same object for the same integration in memory, since much is remembered for it. */
function withOverrides(
  provider: Provider,
  overrides: NonNullable<IntegrationSettings["overrides"]>,
): Provider {
  const byOverrides = overridden.get(provider) ?? new WeakMap<object, Provider>();
  overridden.set(provider, byOverrides);
  const known = byOverrides.get(overrides) ?? overrideProvider(provider, overrides);
  byOverrides.set(overrides, known);
  return known;
}
