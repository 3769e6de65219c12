import type { Connection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { toSessionError } from "./attempts/failure.ts";
import { markFailed } from "./funnel/mark-step.ts";
import { notifySession } from "./notify-session.ts";
import { failAttempts, findSession } from "./store.ts";

/** Sessions that show a connection as pending show why it was not made, and may try again. */
export async function failPending(
  ctx: EnvironmentContext,
  { connection, thrown }: { connection: Connection; thrown: unknown },
): Promise<void> {
  const error = toSessionError(ctx, thrown);
  await withTransaction(ctx, async (ctx) => {
    for (const id of await failAttempts(ctx.db, ctx.environment.id, connection.uuid, error)) {
      await notifySession(ctx, id);
      const session = await findSession(ctx.db, ctx.environment.id, id);
      if (session === undefined) continue;
      const { integrationId } = connection;
      await markFailed(ctx, { session, integrationId, type: error.type });
    }
  });
}
