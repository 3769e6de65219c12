import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { ServedSession } from "../sessions/session.ts";
import { hasDayBudget, takeOfDay } from "./days/store.ts";
import { type Taken, takeCall } from "./store.ts";

type Call = Parameters<typeof takeCall>[2];

/** Rolls back what was taken of the day. */
class NothingLeft extends Error {}

/** Takes a call of the session's budget and of the end user's day, or of neither: undefined where it may not begin. */
export async function takeWithinBudget(
  ctx: EnvironmentContext,
  session: ServedSession,
  call: Call,
): Promise<Taken | undefined> {
  const { id } = ctx.environment;
  if (!hasDayBudget(session)) return await takeCall(ctx.db, id, call);
  try {
    return await withTransaction(ctx, async ({ db }) => {
      const day = await takeOfDay(db, id, { session, effect: call.effect, at: call.at });
      const taken = day && (await takeCall(db, id, call));
      if (taken === undefined) throw new NothingLeft();
      return taken;
    });
  } catch (error) {
    if (error instanceof NothingLeft) return undefined;
    throw error;
  }
}
