import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { announceChange } from "#logs";
import { endSessions } from "./store.ts";

/** Ends the open sessions of these ids; resolves to how many. */
export async function endAgentSessions(
  ctx: EnvironmentContext,
  ids: readonly string[],
): Promise<number> {
  const now = ctx.clock.now();
  const ended = await withTransaction(
    ctx,
    async ({ db, environment }) => await endSessions(db, environment.id, { ids, now }),
  );
  announceChange(ctx, ctx.environment.id, "agents");
  return ended;
}
