import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { announceChange, recordChange } from "#logs";
import type { Approver } from "../toolsets/toolset.ts";
import { sendApprovalWebhook } from "./send-approval-webhook.ts";
import { type Decision, decide, findApprovalRow } from "./store.ts";

/** A person's word about a call that waits. Throws not_found, conflict where it waits no more. */
export async function decideApproval(
  ctx: EnvironmentContext,
  { id, by, ...decision }: Decision & { readonly id: string; readonly by: Approver },
) {
  const now = ctx.clock.now();
  const isDecided = await withTransaction(ctx, async (ctx) => {
    const isMine = await decide(ctx.db, ctx.environment.id, { id, now, by, ...decision });
    if (isMine) await sendApprovalWebhook(ctx, id);
    return isMine;
  });
  const decided = await getApproval(ctx, id);
  if (!isDecided) {
    throw new AppError("conflict", `This call is not waiting any more: it is ${decided.state}.`);
  }
  announceChange(ctx, ctx.environment.id, "agents");
  recordChange(ctx, {
    message: `${decision.isApproved ? "Approve" : "Deny"} a call of an agent`,
    meta: {
      ...{ approval: id, session: decided.sessionId, tool: decided.tool, scope: decided.scope },
      by,
    },
  });
  return decided;
}

/** With what the person sees, sealed; throws not_found. */
export async function getApproval(ctx: EnvironmentContext, id: string) {
  const found = await findApprovalRow(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
  if (found !== undefined) return found;
  throw new AppError("not_found", "No such approval; list them with GET /agent/approvals.");
}
