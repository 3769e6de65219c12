import type { ConnectionCreated } from "#connections";
import type { EnvironmentContext } from "#platform";
import { settleSessions } from "./store.ts";

/** Sessions that show a connection as pending no longer do, once a webhook of the provider has completed it. */
export async function settlePending(
  ctx: EnvironmentContext,
  { connection }: Pick<ConnectionCreated, "connection">,
): Promise<void> {
  await settleSessions(ctx.db, ctx.environment.id, connection.uuid);
}
