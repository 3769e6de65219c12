import type { Provider } from "@jackfield/catalogue";
import type { AuthSubject } from "#auth-modes";
import type { EnvironmentContext } from "#platform";
import { getIntegrationCredentials } from "./get-integration-credentials.ts";
import { type Integration, providerOf } from "./integration.ts";

/** What an auth mode works on to make or renew credentials. */
export async function toAuthSubject(
  ctx: EnvironmentContext,
  integration: Integration,
  connectionConfig: Readonly<Record<string, string>>,
): Promise<AuthSubject> {
  const integrationCredentials = await getIntegrationCredentials(ctx, integration);
  return { ...toCallSubject(integration, connectionConfig), integrationCredentials };
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
