import type { EnvironmentContext } from "#foundation";
import { pickField } from "#integrations";
import type { Connection } from "../connection.ts";
import { requireUnfrozen } from "../freeze/require-unfrozen.ts";
import { openCredentials } from "../sealed-credentials.ts";
import { openWebhookSecret } from "../webhook-secret.ts";

/**
 * One field of a connection's credentials as they are stored, or its webhook secret; nothing is refreshed for it.
 * Throws not_found and
 * connection_frozen.
 */
export async function revealConnectionField(
  ctx: EnvironmentContext,
  { connection, field }: { connection: Connection; field: string },
): Promise<{ field: string; value: string }> {
  requireUnfrozen(connection);
  const secret = await openWebhookSecret(ctx, connection);
  const own = secret === undefined ? {} : { webhook_secret: secret };
  return pickField({ ...(await openCredentials(ctx, connection)), ...own }, field);
}
