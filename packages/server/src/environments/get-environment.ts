import {
  AppError,
  type Environment,
  type EnvironmentContext,
  type EnvironmentId,
  type SystemContext,
} from "#foundation";
import { defineCache } from "#foundation/cache";
import { findEnvironment as findRow } from "./store.ts";

/** The environment; undefined when it was deleted. */
export async function findEnvironment(
  ctx: Pick<SystemContext, "db">,
  id: EnvironmentId,
): Promise<Environment | undefined> {
  const row = await findRow(ctx.db, id);
  return row && { id: row.id, name: row.name, accountId: row.accountId };
}

export async function getEnvironment(
  ctx: Pick<SystemContext, "db">,
  id: EnvironmentId,
): Promise<Environment> {
  const found = await findEnvironment(ctx, id);
  if (found !== undefined) return found;
  throw new AppError("not_found", "The environment does not exist.");
}

/** Whether the environment of the call is one where more is at stake. */
export async function isProductionEnvironment({
  db,
  environment,
}: EnvironmentContext): Promise<boolean> {
  return (await findRow(db, environment.id))?.isProduction === true;
}

const cached = defineCache<Environment>({ maxEntries: 1000 });

/** The environment for hot paths, where anyone may name one; throws unknown_environment. */
export async function findCachedEnvironment(
  ctx: Pick<SystemContext, "db" | "state">,
  id: EnvironmentId,
): Promise<Environment | undefined> {
  return await cached.find(ctx, id, async () => {
    const value = await findEnvironment(ctx, id);
    return value && { value, rows: [`environments ${id}`] };
  });
}

/** `findCachedEnvironment`; throws unknown_environment. */
export async function getCachedEnvironment(
  ctx: Pick<SystemContext, "db" | "state">,
  id: EnvironmentId,
): Promise<Environment> {
  const found = await findCachedEnvironment(ctx, id);
  if (found === undefined) throw new AppError("unknown_environment");
  return found;
}
