import { AppError, type EnvironmentContext, type SyncId } from "#foundation";
import { lockSync } from "../store.ts";
import type { Sync } from "../sync.ts";
import { listEnvironmentSyncs, type SyncQuery } from "./list-syncs.ts";

interface SyncFilter {
  readonly provider_config_key?: string | undefined;
  readonly connection_id?: string | undefined;
  readonly sync?: string | undefined;
  readonly state?: string | undefined;
}

/** Ids of a page of the environment's syncs, newest first; throws unknown_provider_config. */
export async function listSyncIds(
  ctx: EnvironmentContext,
  filter: SyncFilter,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ ids: readonly string[]; nextCursor: string | null }> {
  const { syncs, nextCursor } = await listEnvironmentSyncs(ctx, {
    integrationKey: filter.provider_config_key,
    connectionId: filter.connection_id,
    name: filter.sync,
    state: asState(filter.state),
    ...{ limit, cursor },
  });
  return { ids: syncs.map(({ id }) => id), nextCursor };
}

// A state of connections fits no sync.
function asState(state: string | undefined): SyncQuery["state"] {
  return state as SyncQuery["state"];
}

/** The sync of an id; throws not_found. */
export async function requireSync(ctx: EnvironmentContext, id: string): Promise<Sync> {
  const sync = await lockSync(ctx.db, ctx.environment.id, id.toLowerCase() as SyncId);
  if (sync !== undefined && sync.deletedAt === null) return sync;
  throw new AppError("not_found", `There is no sync ${id}; see GET /syncs for those that are.`);
}
