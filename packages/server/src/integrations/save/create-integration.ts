import { findOverrideFaults, listProviderIds, type Provider } from "@jackfield/catalogue";
import { type EnvironmentContext, nearestName } from "#foundation";
import { recordChange } from "#logs";
import { type FoundProvider, findProvider } from "#providers";
import type { Integration, IntegrationSettings } from "../integration.ts";
import { sealSecrets, splitConfig } from "../reading/get-integration-credentials.ts";
import { insertIntegration, reserveIntegrationId } from "../store.ts";
import { type GivenCredentials, readCredentials } from "./read-credentials.ts";
import { checkCustom, refuse, resolveIntegrationConfig } from "./resolve-integration-config.ts";
import { takeWebhookSecret } from "./webhook-secret.ts";

export interface IntegrationInput {
  readonly provider: string;
  readonly uniqueKey: string;
  readonly displayName: string | undefined;
  readonly forwardWebhooks: boolean;
  readonly credentials: GivenCredentials | undefined;
  readonly integrationConfig: Readonly<Record<string, string>>;
  readonly custom: Readonly<Record<string, string>>;
  readonly settings: IntegrationSettings;
}

/** Configures a provider; throws invalid_body, at the field at fault. */
export async function createIntegration(
  ctx: EnvironmentContext,
  input: IntegrationInput,
): Promise<Integration> {
  const { provider, definition } = await requireProvider(ctx, input.provider);
  checkOverrides(provider, input.settings);
  const credentials = await readCredentials(ctx, provider, input.credentials);
  const { custom, webhookSecret } = takeWebhookSecret(input.custom);
  checkCustom(provider, custom);
  const resolved = resolveIntegrationConfig(provider, input.integrationConfig);
  const { open: integrationConfig, secret } = splitConfig(provider, resolved);
  const id = await reserveIntegrationId(ctx.db);
  const now = ctx.clock.now();
  const { uniqueKey, displayName, forwardWebhooks, settings } = input;
  const secrets = { credentials, config: secret, webhookSecret: webhookSecret || undefined };
  const created = await insertIntegration(ctx.db, ctx.environment.id, {
    id,
    uniqueKey,
    provider: provider.id,
    displayName,
    forwardWebhooks,
    integrationConfig,
    custom,
    settings,
    definition,
    sealedCredentials: await sealSecrets(ctx, id, secrets),
    createdAt: now,
    updatedAt: now,
  });
  if (created !== undefined) {
    recordChange(ctx, {
      message: `Create the integration ${uniqueKey}`,
      subject: { integration: { id, name: uniqueKey, provider: provider.id } },
    });
    return created;
  }
  return fail("uniqueKey", `is taken: this environment already has an integration "${uniqueKey}"`);
}

async function requireProvider(ctx: EnvironmentContext, id: string): Promise<FoundProvider> {
  const found = await findProvider(ctx, id);
  if (found !== undefined) return found;
  const nearest = nearestName(id, listProviderIds());
  const hint =
    nearest === undefined ? "list them with GET /providers" : `did you mean "${nearest}"?`;
  return fail("provider", `is not in the catalogue: there is no "${id}"; ${hint}`);
}

/** Facts that the entry's mode does not have cannot be overridden. */
export function checkOverrides(provider: Provider, { overrides }: IntegrationSettings): void {
  if (overrides === undefined) return;
  refuse(
    findOverrideFaults(provider, overrides).map(({ name, message }) => ({
      path: ["settings", "overrides", name],
      message,
    })),
  );
}

function fail(field: string, message: string): never {
  refuse([{ path: [field], message }]);
  throw new Error("refuse throws for a fault");
}
