import type { EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import { type EndUserConnection, listEndUserConnections } from "./account-store.ts";

const cached = defineCache<readonly EndUserConnection[]>({ maxEntries: 10_000, maxWeight: 40_000 });

/** `listEndUserConnections` for hot paths: what has changed is seen within a second. */
export async function listCachedEndUserConnections(
  ctx: EnvironmentContext,
  wanted: Parameters<typeof listEndUserConnections>[2],
): Promise<readonly EndUserConnection[]> {
  const { id } = ctx.environment;
  const { endUserId, keys, limit } = wanted;
  const found = await cached.find(ctx, JSON.stringify([id, endUserId, limit, keys]), async () => {
    const value = await listEndUserConnections(ctx.db, id, wanted);
    const rows = value.flatMap(({ connection: { uuid, integrationId } }) => [
      `connections ${uuid}`,
      `integrations ${integrationId}`,
    ]);
    const own = [`end_users ${id} ${endUserId}`, `integrations ${id}`];
    return { value, rows: [...own, ...new Set(rows)], weight: value.length + 1 };
  });
  return found ?? [];
}
