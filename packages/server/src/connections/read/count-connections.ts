import type { EnvironmentContext } from "#foundation";
import type { IntegrationConnections } from "#integrations";
import { countConnectionRows, listNewestRows } from "./store.ts";

/** How many connections each of these integrations has; one that is absent has none. */
export async function countConnections(
  ctx: EnvironmentContext,
  { integrationIds }: { readonly integrationIds: readonly number[] },
): Promise<ReadonlyMap<number, number>> {
  return await countConnectionRows(ctx.db, ctx.environment.id, integrationIds);
}

/** How many connections an integration has, and so many of the newest. */
export async function listConnectionsForIntegration(
  ctx: EnvironmentContext,
  { integrationId, newest: limit }: { readonly integrationId: number; readonly newest: number },
): Promise<IntegrationConnections> {
  const counts = await countConnections(ctx, { integrationIds: [integrationId] });
  const newest =
    limit === 0 ? [] : await listNewestRows(ctx.db, ctx.environment.id, { integrationId, limit });
  return { count: counts.get(integrationId) ?? 0, newest };
}
