import type { agentCallRoutes, RouteOutput } from "@jackfield/contract";
import { addMs, type EnvironmentContext, keysetCursor, MINUTE } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { type AgentCall, listCallRows } from "./store.ts";

const DEFAULT_LIMIT = 50;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const agentCallHandlers = {
  listAgentCalls: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor, session_id: sessionId, end_user_id: endUserId } = query;
    const { parent_id: parentId } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const page = { sessionId, endUserId, parentId, after, limit: limit + 1 };
    const rows = await listCallRows(ctx.db, ctx.environment.id, page);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map((call) => presentCall(ctx, call)),
      next_cursor: last === undefined ? null : cursors.write({ createdAt: last.at, id: last.id }),
    };
  },
} satisfies RouteHandlers<typeof agentCallRoutes>;

/** Longer than an action may run, and the time until its process would have said so. */
const GRACE_MS = 5 * MINUTE;

/** The process of a call that runs for longer than any may has died: what it did is not known. */
function endingOf(
  { clock, settings }: Pick<EnvironmentContext, "clock" | "settings">,
  { outcome, code, at }: Pick<AgentCall, "outcome" | "code" | "at">,
): Pick<AgentCall, "outcome" | "code"> {
  const latest = addMs(at, settings.functionTimeouts.action + GRACE_MS);
  if (outcome !== "running" || clock.now() < latest) return { outcome, code };
  return { outcome: "failed", code: "outcome_unknown" };
}

function presentCall(
  ctx: Pick<EnvironmentContext, "clock" | "settings">,
  call: AgentCall,
): RouteOutput<typeof agentCallRoutes.listAgentCalls>["data"][number] {
  return {
    ...{ id: call.id, at: call.at.toISOString(), session_id: call.sessionId },
    ...{ end_user_id: call.endUserId, client: call.client, toolset: call.toolset },
    ...{ toolset_version: call.toolsetVersion, tool: call.tool, integration: call.integration },
    ...{ connection_id: call.connectionId, effect: call.effect },
    ...endingOf(ctx, call),
    input_digest: call.inputDigest?.toString("hex") ?? null,
    output_digest: call.outputDigest?.toString("hex") ?? null,
    duration_ms: call.durationMs,
    parent_id: call.parentId,
  };
}
