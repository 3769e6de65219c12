import type { ConnectionCreated } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { markCompleted } from "./funnel/mark-step.ts";
import { notifySession } from "./notify-session.ts";
import { findSession, settleAttempts } from "./store.ts";

/** Sessions that show a connection as pending no longer do, once a webhook of the provider has completed it. */
export async function settlePending(
  ctx: EnvironmentContext,
  { connection }: Pick<ConnectionCreated, "connection">,
): Promise<void> {
  for (const id of await settleAttempts(ctx.db, ctx.environment.id, connection.uuid)) {
    await notifySession(ctx, id);
    const session = await findSession(ctx.db, ctx.environment.id, id);
    if (session === undefined) continue;
    await markCompleted(ctx, { session, integrationId: connection.integrationId });
  }
}
