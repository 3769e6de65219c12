import type { EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { notifySession } from "../notify-session.ts";
import { endSession } from "../store.ts";
import { getOwnSession } from "./get-own-session.ts";

/** Ends the calling session: its token works no more, attempts that are under way lead nowhere. */
export async function endOwnSession(ctx: EnvironmentContext): Promise<void> {
  const { id } = await getOwnSession(ctx);
  await withTransaction(ctx, async (ctx) => {
    await endSession(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
    await notifySession(ctx, id);
  });
}
