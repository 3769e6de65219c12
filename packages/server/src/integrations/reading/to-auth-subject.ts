import type { Provider } from "@jackfield/catalogue";
import { type AuthSubject, getAuthMode, needsClientForCalls } from "#auth-modes";
import type { EnvironmentContext } from "#foundation";
import { type Integration, providerOf } from "../integration.ts";
import { getIntegrationSecrets } from "./get-integration-credentials.ts";

/** What an auth mode works on to make or renew credentials. */
export async function toAuthSubject(
  ctx: EnvironmentContext,
  integration: Integration,
  connectionConfig: Readonly<Record<string, string>>,
): Promise<AuthSubject> {
  const { credentials, config, previousSecret } = await getIntegrationSecrets(ctx, integration);
  const subject = toCallSubject(integration, connectionConfig);
  const integrationConfig = { ...subject.integrationConfig, ...config };
  const previous = previousSecret && { previous_client_secret: previousSecret.client_secret };
  const integrationCredentials = credentials && { ...credentials, ...previous };
  return { ...subject, integrationConfig, integrationCredentials };
}

/** The same, with the integration's own credentials where its calls need them. */
export async function toSigningSubject(
  ctx: EnvironmentContext,
  integration: Integration,
  connectionConfig: Readonly<Record<string, string>>,
): Promise<AuthSubject> {
  const provider = providerOf(integration);
  if (needsClientForCalls(getAuthMode(provider.auth_mode), provider)) {
    return await toAuthSubject(ctx, integration, connectionConfig);
  }
  return toCallSubject(integration, connectionConfig);
}

/** What an auth mode works on to put credentials into a request; the OAuth client stays sealed. */
export function toCallSubject(
  integration: Integration,
  connectionConfig: Readonly<Record<string, string>>,
): AuthSubject {
  const provider = providerOf(integration);
  return {
    provider,
    integrationCredentials: undefined,
    integrationConfig: toConfigValues(provider, integration),
    connectionConfig,
  };
}

/** Defaults of fields that the entry gained after the integration was made hold for it too. */
function toConfigValues(provider: Provider, integration: Integration): Record<string, string> {
  const values = { ...integration.custom, ...integration.integrationConfig };
  for (const [name, field] of Object.entries(provider.integration_config)) {
    if (field.default !== undefined) values[name] ??= field.default;
  }
  return values;
}
