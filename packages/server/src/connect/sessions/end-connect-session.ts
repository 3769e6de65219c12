import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { notifySession } from "../notify-session.ts";
import { endSession, findSession } from "../store.ts";

/** Ends a session: its token works no more, attempts that are under way lead nowhere. Throws not_found. */
export async function endConnectSession(ctx: EnvironmentContext, id: string): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    if ((await findSession(ctx.db, ctx.environment.id, id)) === undefined) {
      throw new AppError("not_found", `There is no connect session ${id}.`);
    }
    await endSession(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
    await notifySession(ctx, id);
  });
}
