import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { endSessionsOf } from "../store.ts";

/** Ends the open sessions that made these connections or authorize them again; resolves to how many. */
export async function endSessionsOfConnections(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<number> {
  const now = ctx.clock.now();
  return await endSessionsOf(ctx.db, ctx.environment.id, { connections, now });
}
