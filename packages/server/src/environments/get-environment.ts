import {
  AppError,
  type Environment,
  type EnvironmentId,
  type InstallationContext,
} from "#platform";
import { defineCache } from "#platform/cache";
import { findEnvironment } from "./store.ts";

export async function getEnvironment(
  ctx: Pick<InstallationContext, "db">,
  id: EnvironmentId,
): Promise<Environment> {
  const row = await findEnvironment(ctx.db, id);
  if (row === undefined) throw new AppError("not_found", "The environment does not exist.");
  return { id: row.id, name: row.name, accountId: row.accountId };
}

const cached = defineCache<Environment>({ maxEntries: 1000 });

/** The environment for hot paths, where anyone may name one; throws unknown_environment. */
export async function getCachedEnvironment(
  ctx: Pick<InstallationContext, "db" | "state">,
  id: EnvironmentId,
): Promise<Environment> {
  const found = await cached.find(ctx, id, async () => {
    const row = await findEnvironment(ctx.db, id);
    if (row === undefined) return undefined;
    const value = { id: row.id, name: row.name, accountId: row.accountId };
    return { value, rows: [`environments ${id}`] };
  });
  if (found === undefined) throw new AppError("unknown_environment");
  return found;
}
