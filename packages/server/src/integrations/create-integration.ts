import { getProvider, type Provider } from "@jackfield/catalogue";
import type { IntegrationCredentials } from "#auth-modes";
import type { EnvironmentContext } from "#platform";
import { sealJson } from "#vault";
import { placeOfCredentials } from "./get-integration-credentials.ts";
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
  const integrationConfig = resolveIntegrationConfig(provider, input.integrationConfig);
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
    sealedCredentials:
      credentials === undefined
        ? undefined
        : await sealJson(ctx, placeOfCredentials(ctx, id), credentials),
    createdAt: now,
    updatedAt: now,
  });
  if (created !== undefined) return created;
  return fail("uniqueKey", `this environment already has an integration "${uniqueKey}"`);
}

function requireProvider(id: string): Provider {
  return getProvider(id) ?? fail("provider", `the catalogue has no provider "${id}"`);
}

/** Only OAuth 2 entries have a client of the integration; other modes keep theirs with the connection. */
function checkCredentials(
  provider: Provider,
  credentials: IntegrationCredentials | undefined,
): void {
  const takesClient = provider.auth_mode === "OAUTH2";
  if (takesClient && credentials === undefined) {
    fail("credentials", `${provider.id} needs the client_id and client_secret of your OAuth app`);
  }
  if (!takesClient && credentials !== undefined) {
    fail("credentials", `${provider.id} takes no credentials here: they belong to each connection`);
  }
}

function fail(field: string, message: string): never {
  refuse([{ path: [field], message }]);
  throw new Error("refuse throws for a fault");
}
