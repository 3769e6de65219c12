import type { EnvironmentContext } from "#platform";
import { countConnectionRows, listNewestRows } from "./finding/store.ts";

/** How many connections each of these integrations has; one that is absent has none. */
export async function countConnections(
  ctx: EnvironmentContext,
  { integrationIds }: { readonly integrationIds: readonly number[] },
): Promise<ReadonlyMap<number, number>> {
  return await countConnectionRows(ctx.db, ctx.environment.id, integrationIds);
}

/** The newest connections of an integration, newest first. */
export async function listNewestConnections(
  ctx: EnvironmentContext,
  wanted: { readonly integrationId: number; readonly limit: number },
) {
  return await listNewestRows(ctx.db, ctx.environment.id, wanted);
}
