import { claimHead } from "#audit";
import { listAuditReceivers } from "#environments";
import { addMs, HOUR, reasonOf, type SystemContext, withEnvironment } from "#platform";
import { withTransaction } from "#platform/db";
import type { DueClaim, DueWork } from "#tasks";
import { sendWebhook } from "./send-webhook.ts";

/** Sends the end of the audit log's chain to those who keep it elsewhere: once an hour, where it has grown. */
export function createHeadSending(): DueWork {
  return {
    name: "audit-head",
    async claim(ctx): Promise<DueClaim> {
      await sendAuditHead(ctx).catch((error: unknown) => {
        ctx.log.error("audit.head_not_sent", { reason: reasonOf(error) });
      });
      return { claimed: 0, nextDueAt: addMs(ctx.clock.now(), HOUR) };
    },
  };
}

/** How many environments it was sent to. */
export async function sendAuditHead(ctx: SystemContext): Promise<number> {
  const receivers = await listAuditReceivers(ctx.db);
  if (receivers.length === 0) return 0;
  return await withTransaction(ctx, async (ctx) => {
    const head = await claimHead(ctx, HOUR);
    if (head === undefined) return 0;
    for (const environment of receivers) {
      await sendWebhook(withEnvironment(ctx, environment), {
        type: "audit",
        body: {
          from: "svc",
          type: "audit",
          environment: environment.name,
          sealId: head.id,
          seal: head.seal.toString("hex"),
          sealedAt: head.sealedAt.toISOString(),
        },
      });
    }
    return receivers.length;
  });
}
