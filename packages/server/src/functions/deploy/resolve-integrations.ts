import type { ErrorCode } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { getIntegration, type Integration } from "#integrations";

interface Named {
  readonly providerConfigKey: string;
}

/** Every integration that an upload names, by key; throws `unknown_provider_config`, or the code given, for one that does not exist. */
export async function resolveIntegrations(
  ctx: EnvironmentContext,
  upload: {
    readonly flowConfigs: readonly Named[];
    readonly onEventScriptsByProvider: readonly Named[];
  },
  code?: ErrorCode,
): Promise<Map<string, Integration>> {
  const keys = new Set(
    [...upload.flowConfigs, ...upload.onEventScriptsByProvider].map(
      (part) => part.providerConfigKey,
    ),
  );
  const found = new Map<string, Integration>();
  for (const key of keys) found.set(key, await getIntegration(ctx, key, code));
  return found;
}
