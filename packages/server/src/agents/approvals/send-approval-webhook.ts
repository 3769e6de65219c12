import { getWebhookTargets } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { sendWebhook } from "#webhooks-out";
import { presentApproval } from "./present-approval.ts";
import { findApprovalRow } from "./store.ts";

/** Queues the webhook about a call that now waits or is decided, in the caller's transaction, where it is wanted. */
export async function sendApprovalWebhook(ctx: EnvironmentContext, id: string): Promise<void> {
  const { settings, urls } = await getWebhookTargets(ctx);
  if (!settings.on_agent_approval || urls.length === 0) return;
  const now = ctx.clock.now();
  const approval = await findApprovalRow(ctx.db, ctx.environment.id, { id, now });
  if (approval === undefined) return;
  await sendWebhook(ctx, {
    type: "agent_approval",
    body: {
      ...{ from: "svc", type: "agent_approval", operation: approval.state },
      ...{ connectionId: approval.connectionId, providerConfigKey: approval.integration },
      approval: presentApproval(approval),
    },
  });
}
