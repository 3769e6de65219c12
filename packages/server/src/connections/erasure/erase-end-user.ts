import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { hashEndUser } from "./hash-end-user.ts";
import { disguiseRows, type ErasedConnection, hasKept, listRowsOfEndUser } from "./store.ts";

/** Connections whose tag `end_user_id` names the end user, or named them until they were deleted. */
export async function listConnectionsOfEndUser(
  ctx: EnvironmentContext,
  endUserId: string,
): Promise<readonly ErasedConnection[]> {
  const hash = await hashEndUser(ctx, endUserId);
  return await listRowsOfEndUser(ctx.db, ctx.environment.id, { endUserId, hash });
}

/** Whether no credentials are left that the provider has still to withdraw. */
export async function isWithdrawn(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<boolean> {
  return !(await hasKept(ctx.db, ctx.environment.id, connections));
}

/** Gives deleted connections names that say nothing; resolves to how many. */
export async function disguiseConnections(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<number> {
  return await disguiseRows(ctx.db, ctx.environment.id, connections);
}
