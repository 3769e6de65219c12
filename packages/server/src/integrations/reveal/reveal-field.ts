import type { EnvironmentContext } from "#foundation";
import { getIntegration } from "../reading/get-integration.ts";
import { getIntegrationSecrets } from "../reading/get-integration-credentials.ts";
import { pickField } from "./pick-field.ts";

/** One secret of an integration: of its credentials, its secret settings, or its webhook secret; throws not_found. */
export async function revealIntegrationField(
  ctx: EnvironmentContext,
  { uniqueKey, field }: { uniqueKey: string; field: string },
): Promise<{ field: string; value: string }> {
  const integration = await getIntegration(ctx, uniqueKey, "not_found");
  const { credentials, config, webhookSecret } = await getIntegrationSecrets(ctx, integration);
  const own = webhookSecret === undefined ? {} : { webhook_secret: webhookSecret };
  return pickField({ ...config, ...own, ...credentials }, field);
}
