import { addMs, DAY, type EnvironmentContext } from "#foundation";
import type { ToolFailure } from "#mcp";
import { findDay, hasDayBudget } from "../calls/days/store.ts";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { type AgentSession, stateOfSession } from "../sessions/session.ts";
import { findSession } from "../sessions/store.ts";

interface Refused {
  readonly session: Pick<AgentSession, "id">;
  readonly tool: CatalogueTool | undefined;
}

/** Why a call may not begin: its session as it is now says that. */
export async function explainRefusal(
  ctx: EnvironmentContext,
  { session: { id }, tool }: Refused,
  { mostRepeats }: { readonly mostRepeats: number },
): Promise<ToolFailure> {
  const session = await findSession(ctx.db, ctx.environment.id, id);
  const at = ctx.clock.now();
  if (session === undefined || stateOfSession(session, at) !== "open") {
    return {
      ...{ code: "session_ended", message: "The session has ended." },
      next: "Stop, and tell the user that the session has ended.",
    };
  }
  const isWrite = tool?.effect !== "read";
  const exhausted = await explainBudget(ctx, session, { isWrite, at });
  if (exhausted !== undefined) return exhausted;
  return {
    ...{
      code: "repeated_call",
      message: `The same call returned the same result ${mostRepeats} times.`,
    },
    next: "Use the answer that you have, or do something else.",
  };
}

async function explainBudget(
  ctx: EnvironmentContext,
  session: AgentSession,
  { isWrite, at }: { readonly isWrite: boolean; readonly at: Date },
): Promise<ToolFailure | undefined> {
  const { budget, used } = session;
  const next = "Stop, and tell the user what is done and what is not.";
  const isOver = (which: "calls" | "writes" | "result_tokens") =>
    used[which] >= (budget[which] ?? Infinity);
  const ofSession = isOver("calls") ? "calls" : isWrite && isOver("writes") ? "writes" : undefined;
  if (ofSession !== undefined) {
    const message = `The session has reached its limit of ${budget[ofSession]} ${ofSession}.`;
    return { code: "budget_exhausted", message, next };
  }
  if (isOver("result_tokens")) {
    const message = `The results of the session may take ${budget.result_tokens} tokens and have taken them.`;
    return { code: "budget_exhausted", message, next };
  }
  if (!hasDayBudget(session)) return undefined;
  const day = await findDay(ctx.db, ctx.environment.id, { session, at });
  const { calls_per_day: calls = Infinity, writes_per_day: writes = Infinity } = budget;
  const message =
    day.calls >= calls
      ? `The user has reached the limit of ${calls} calls a day.`
      : isWrite && day.writes >= writes
        ? `The user has reached the limit of ${writes} writes a day.`
        : undefined;
  if (message === undefined) return undefined;
  return { code: "budget_exhausted", message, next, resets_at: endOfDay(at) };
}

/** Of UTC. */
function endOfDay(at: Date): string {
  return `${addMs(at, DAY).toISOString().slice(0, 10)}T00:00:00.000Z`;
}
