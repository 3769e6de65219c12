import type { EnvironmentContext } from "#foundation";
import { findIntegration, providerOf } from "#integrations";

/** As people know them: the name that the environment gave, else the provider's. */
export async function nameIntegrations(
  ctx: EnvironmentContext,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const key of keys) {
    const integration = await findIntegration(ctx, key);
    if (integration === undefined) continue;
    names.set(key, integration.displayName ?? providerOf(integration).display_name);
  }
  return names;
}
