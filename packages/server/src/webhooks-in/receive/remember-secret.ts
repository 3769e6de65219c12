import { keepWebhookSecret } from "#connections";
import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";
import type { Handshake } from "../match/router.ts";

/** Keeps the secret that a handshake has brought; an existing one stays, regardless of who sends another. */
export async function rememberSecret(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "id" | "uniqueKey">,
  { remember }: Handshake,
): Promise<void> {
  if (remember === undefined) return;
  const isKept = await keepWebhookSecret(ctx, integration, remember);
  if (isKept) return;
  ctx.log.warn("inbox.secret_not_kept", {
    integration: integration.uniqueKey,
    reason: "the connection is unknown, or has a secret",
  });
}
