import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { listCounts, type ModelCount } from "../store.ts";

/** How many records each model of the connections holds that are not deleted. */
export async function countRecords(
  ctx: EnvironmentContext,
  { connections }: { connections: readonly ConnectionUuid[] },
): Promise<ModelCount[]> {
  return await listCounts(ctx.db, ctx.environment.id, connections);
}

/** The same, for who asks through a hook. */
export async function countRecordsOf(
  ctx: EnvironmentContext,
  connections: readonly ConnectionUuid[],
): Promise<readonly ModelCount[]> {
  return await countRecords(ctx, { connections });
}
