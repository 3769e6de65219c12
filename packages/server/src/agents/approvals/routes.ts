import type { agentApprovalRoutes } from "@jackfield/contract";
import { recordChange } from "#logs";
import { AppError, type EnvironmentContext, keysetCursor } from "#platform";
import { withTransaction } from "#platform/db";
import type { RouteHandlers } from "#platform/http";
import { openJson } from "#vault";
import { type Shown, shownAad } from "./approval.ts";
import { presentApproval } from "./present-approval.ts";
import { sendApprovalWebhook } from "./send-approval-webhook.ts";
import { decide, findApprovalRow, listApprovalRows } from "./store.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const agentApprovalHandlers = {
  listAgentApprovals: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor, state } = query;
    const { session_id: sessionId, end_user_id: endUserId } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const now = ctx.clock.now();
    const page = { state, sessionId, endUserId, after, limit: limit + 1, now };
    const rows = await listApprovalRows(ctx.db, ctx.environment.id, page);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map(presentApproval),
      next_cursor: last === undefined ? null : cursors.write(last),
    };
  },
  getAgentApproval: async (ctx, { params: { id } }) => {
    const found = await getApproval(ctx, id);
    const { input, request } = await readShown(ctx, found);
    return { data: { ...presentApproval(found), input, request } };
  },
  decideAgentApproval: async (ctx, { params: { id }, body }) => {
    const { decision, scope = "once", reason } = body;
    const isApproved = decision === "approve";
    const known = await getApproval(ctx, id);
    if (isApproved && scope === "session" && known.effect !== "write") {
      throw new AppError(
        "invalid_body",
        `Calls of a tool whose effect is ${known.effect} are approved one by one: leave \`scope\` out.`,
      );
    }
    const now = ctx.clock.now();
    const isDecided = await withTransaction(ctx, async (ctx) => {
      const decision = { id, now, isApproved, scope, reason };
      const isMine = await decide(ctx.db, ctx.environment.id, decision);
      if (isMine) await sendApprovalWebhook(ctx, id);
      return isMine;
    });
    const decided = await getApproval(ctx, id);
    if (!isDecided) {
      throw new AppError("conflict", `This call is not waiting any more: it is ${decided.state}.`);
    }
    recordChange(ctx, {
      message: `${isApproved ? "Approve" : "Deny"} a call of an agent`,
      meta: { approval: id, session: decided.sessionId, tool: decided.tool, scope: decided.scope },
    });
    return { data: presentApproval(decided) };
  },
} satisfies RouteHandlers<typeof agentApprovalRoutes>;

async function getApproval(ctx: EnvironmentContext, id: string) {
  const found = await findApprovalRow(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
  if (found !== undefined) return found;
  throw new AppError("not_found", "No such approval; list them with GET /agent/approvals.");
}

async function readShown(
  ctx: EnvironmentContext,
  { id, shown }: Awaited<ReturnType<typeof getApproval>>,
): Promise<Shown> {
  return (await openJson(ctx, shownAad(ctx, id), shown)) as Shown;
}
