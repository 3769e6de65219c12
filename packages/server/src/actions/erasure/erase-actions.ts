import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { deleteActionsOf } from "./store.ts";

/** Deletes the asynchronous actions of deleted connections; resolves to how many, undefined while one runs. */
export async function eraseActions(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<{ readonly deleted: number; readonly running: number }> {
  return await deleteActionsOf(ctx.db, ctx.environment.id, connections);
}
