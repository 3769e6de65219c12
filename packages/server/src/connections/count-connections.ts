import type { EnvironmentContext } from "#platform";
import { countConnectionRows } from "./store.ts";

/** How many connections each of these integrations has; one that is absent has none. */
export async function countConnections(
  ctx: EnvironmentContext,
  { integrationIds }: { readonly integrationIds: readonly number[] },
): Promise<ReadonlyMap<number, number>> {
  return await countConnectionRows(ctx.db, ctx.environment.id, integrationIds);
}
