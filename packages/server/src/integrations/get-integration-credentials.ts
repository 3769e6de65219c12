import type { IntegrationCredentials } from "#auth-modes";
import type { EnvironmentContext } from "#platform";
import { openJson, type SealPlace } from "#vault";
import type { Integration } from "./integration.ts";

/** The integration's OAuth client; undefined where it has none. */
export async function getIntegrationCredentials(
  ctx: EnvironmentContext,
  { id, sealedCredentials }: Pick<Integration, "id" | "sealedCredentials">,
): Promise<IntegrationCredentials | undefined> {
  if (sealedCredentials === undefined) return undefined;
  return asCredentials(await openJson(ctx, placeOfCredentials(ctx, id), sealedCredentials));
}

export function placeOfCredentials(ctx: EnvironmentContext, id: number): SealPlace {
  const environmentId = ctx.environment.id;
  return { environmentId, table: "integrations", column: "credentials", row: String(id) };
}

// Authenticated encryption: what opens is what createIntegration sealed.
function asCredentials(opened: unknown): IntegrationCredentials {
  return opened as IntegrationCredentials;
}
