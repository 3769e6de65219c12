import { ingressLimiter } from "#gateway";
import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";

/** Counts a webhook for its integration and its environment; throws 429 with the time to wait. */
export async function admitWebhook(
  ctx: EnvironmentContext,
  { id, settings }: Integration,
): Promise<void> {
  const { accountId, id: environmentId } = ctx.environment;
  const limiter = ingressLimiter.of(ctx);
  const { webhookLimitPerMinute, webhookEnvironmentLimitPerMinute } = ctx.settings;
  await limiter.admit(ctx, {
    accountId,
    bucket: `webhooks ${id}`,
    whose: "integration",
    limit: settings.webhook_limit_per_min ?? webhookLimitPerMinute,
  });
  await limiter.admit(ctx, {
    accountId,
    bucket: `webhooks of ${environmentId}`,
    whose: "environment",
    limit: webhookEnvironmentLimitPerMinute,
  });
}
