import type { ConnectionCreated } from "#connections";
import type { EnvironmentContext } from "#platform";
import { notifySession } from "./notify-session.ts";
import { settleAttempts } from "./store.ts";

/** Sessions that show a connection as pending no longer do, once a webhook of the provider has completed it. */
export async function settlePending(
  ctx: EnvironmentContext,
  { connection }: Pick<ConnectionCreated, "connection">,
): Promise<void> {
  for (const id of await settleAttempts(ctx.db, ctx.environment.id, connection.uuid)) {
    await notifySession(ctx, id);
  }
}
