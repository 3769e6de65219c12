import { getProvider, type Provider } from "@jackfield/catalogue";
import { getAuthMode, type IntegrationCredentials } from "#auth-modes";
import { recordChange } from "#logs";
import type { EnvironmentContext } from "#platform";
import { sealSecrets, splitConfig } from "./get-integration-credentials.ts";
import type { Integration, IntegrationSettings } from "./integration.ts";
import { checkCustom, refuse, resolveIntegrationConfig } from "./resolve-integration-config.ts";
import { insertIntegration, reserveIntegrationId } from "./store.ts";

export interface IntegrationInput {
  readonly provider: string;
  readonly uniqueKey: string;
  readonly displayName: string | undefined;
  readonly forwardWebhooks: boolean;
  readonly credentials: IntegrationCredentials | undefined;
  readonly integrationConfig: Readonly<Record<string, string>>;
  readonly custom: Readonly<Record<string, string>>;
  readonly settings: IntegrationSettings;
}

/** Configures a provider; throws invalid_body, at the field at fault. */
export async function createIntegration(
  ctx: EnvironmentContext,
  input: IntegrationInput,
): Promise<Integration> {
  const provider = requireProvider(input.provider);
  checkCredentials(provider, input.credentials);
  checkCustom(provider, input.custom);
  const resolved = resolveIntegrationConfig(provider, input.integrationConfig);
  const { open: integrationConfig, secret } = splitConfig(provider, resolved);
  const id = await reserveIntegrationId(ctx.db);
  const now = ctx.clock.now();
  const { credentials, uniqueKey, displayName, forwardWebhooks, custom, settings } = input;
  const created = await insertIntegration(ctx.db, ctx.environment.id, {
    id,
    uniqueKey,
    provider: provider.id,
    displayName,
    forwardWebhooks,
    integrationConfig,
    custom,
    settings,
    sealedCredentials: await sealSecrets(ctx, id, { credentials, config: secret }),
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
  return fail("uniqueKey", `this environment already has an integration "${uniqueKey}"`);
}

function requireProvider(id: string): Provider {
  return getProvider(id) ?? fail("provider", `the catalogue has no provider "${id}"`);
}

/** Whether an integration has credentials of its own is up to the mode; others keep theirs with the connection. */
export function checkCredentials(
  provider: Provider,
  credentials: IntegrationCredentials | undefined,
): void {
  const { id: type, clientFields } = getAuthMode(provider.auth_mode);
  if (clientFields === undefined) {
    if (credentials === undefined) return;
    fail("credentials", `${provider.id} takes no credentials here: they belong to each connection`);
  }
  const needed = Object.entries(clientFields).filter(([, { optional }]) => optional !== true);
  if (credentials === undefined) {
    if (needed.length === 0) return;
    const names = needed.map(([name]) => name).join(", ");
    fail("credentials", `${provider.id} needs ${names} of your app`);
  }
  if (credentials.type !== type) fail("credentials", `${provider.id} takes those of type ${type}`);
}

function fail(field: string, message: string): never {
  refuse([{ path: [field], message }]);
  throw new Error("refuse throws for a fault");
}
