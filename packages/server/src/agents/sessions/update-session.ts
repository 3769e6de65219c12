import { noteBefore } from "#audit";
import { AppError, addMs, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { announceChange, recordChange } from "#logs";
import { type Budget, narrowBudget, narrowPolicy, type Policy } from "../toolsets/toolset.ts";
import { type AgentSession, stateOfSession } from "./session.ts";
import { lockSession, saveNarrowed } from "./store.ts";

export interface SessionChange {
  readonly policy?: Policy | undefined;
  readonly budget?: Budget | undefined;
  readonly lifeMs?: number | undefined;
}

/** Narrows an open session, or changes when it ends; of two changes at once both hold. Throws not_found, invalid_body. */
export async function updateSession(
  ctx: EnvironmentContext,
  id: string,
  { policy = {}, budget, lifeMs }: SessionChange,
): Promise<AgentSession> {
  const now = ctx.clock.now();
  const changed = await withTransaction(ctx, async (ctx) => {
    const known = await lockSession(ctx.db, ctx.environment.id, id);
    if (known === undefined || stateOfSession(known, now) !== "open") {
      throw new AppError("not_found", "No such session, or it has ended.");
    }
    noteBefore(ctx, { policy: known.policy, budget: known.budget, expires_at: known.expiresAt });
    const narrowed = narrowPolicy(known.policy, policy);
    if (Object.values(narrowed).some((left) => Array.isArray(left) && left.length === 0)) {
      throw new AppError("invalid_body", "This policy leaves nothing: end the session instead.");
    }
    const session: AgentSession = {
      ...known,
      policy: narrowed,
      budget: narrowBudget(known.budget, budget),
      expiresAt: lifeMs === undefined ? known.expiresAt : endAfter(known, addMs(now, lifeMs)),
    };
    await saveNarrowed(ctx.db, ctx.environment.id, session);
    return session;
  });
  announceChange(ctx, ctx.environment.id, "agents");
  recordChange(ctx, { message: "Change a session of an agent", meta: { session: id } });
  return changed;
}

/** What an end user has allowed a client is not made longer by anybody else. */
function endAfter({ clientId, expiresAt }: AgentSession, wanted: Date): Date {
  return clientId !== undefined && expiresAt < wanted ? expiresAt : wanted;
}
