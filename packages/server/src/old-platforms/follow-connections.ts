import type { ConnectionCreated, ConnectionsOf } from "#connections";
import type { Environment, EnvironmentContext } from "#foundation";
import { deleteMoved, deletePlatformsOf, insertMoved, storeReauthorized } from "./store.ts";

/** Notes who refreshes a connection that was made, or authorized again. */
export async function followCreated(
  ctx: EnvironmentContext,
  { connection: { uuid, readThrough }, operation }: ConnectionCreated,
): Promise<void> {
  const [environmentId, now] = [ctx.environment.id, ctx.clock.now()];
  if (readThrough !== undefined) {
    await insertMoved(ctx.db, environmentId, { uuid, oldPlatformId: readThrough, now });
  } else if (operation === "override") {
    await storeReauthorized(ctx.db, environmentId, { uuid, now });
  }
}

export async function followDeleted(
  ctx: EnvironmentContext,
  { connections }: ConnectionsOf,
): Promise<void> {
  await deleteMoved(
    ctx.db,
    ctx.environment.id,
    connections.map(({ uuid }) => uuid),
  );
}

export async function forgetPlatformsOfEnvironment(
  { db }: EnvironmentContext,
  { id }: Environment,
): Promise<void> {
  await deletePlatformsOf(db, id);
}
