import type { agentApprovalRoutes } from "@jackfield/contract";
import { AppError, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { readShown } from "./approval.ts";
import { decideApproval, getApproval } from "./decide-approval.ts";
import { presentApproval } from "./present-approval.ts";
import { listApprovalRows } from "./store.ts";

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
    const {
      input,
      request,
      account = null,
      tainted = false,
      origins = [],
    } = await readShown(ctx, found);
    return {
      data: { ...presentApproval(found), account, input, request, tainted, origins: [...origins] },
    };
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
    const decided = await decideApproval(ctx, { id, isApproved, scope, reason, by: "operator" });
    return { data: presentApproval(decided) };
  },
} satisfies RouteHandlers<typeof agentApprovalRoutes>;
