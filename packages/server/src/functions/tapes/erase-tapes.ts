import type { ConnectionsOf } from "#connections";
import type { ConnectionUuid, EnvironmentContext, SystemContext } from "#foundation";
import { deleteExpiredRows, deleteTapesOfConnections } from "./store.ts";

/** Deletes the tapes of connections; resolves to how many there were. */
export async function eraseTapes(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<number> {
  return await deleteTapesOfConnections(ctx.db, ctx.environment.id, connections);
}

/** In the transaction that deletes the connections. */
export async function deleteTapesOfDeleted(
  ctx: EnvironmentContext,
  { connections }: ConnectionsOf,
): Promise<void> {
  await eraseTapes(
    ctx,
    connections.map(({ uuid }) => uuid),
  );
}

/** Tapes past their time, and rules that have ended; runs daily. */
export async function deleteOldTapes(ctx: SystemContext): Promise<void> {
  await deleteExpiredRows(ctx.db, ctx.clock.now());
}
