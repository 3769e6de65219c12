import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId, SyncId } from "#foundation";
import { type Db, hotStatement, runHot } from "#foundation/db";
import { syncText } from "../store.ts";
import type { Sync } from "../sync.ts";

const lockFreeRows = hotStatement(
  "syncs_lock_free",
  `select ${syncText} from syncs s
    where s.id = any($2::uuid[]) and (s.environment_id = $1) is true and s.deleted_at is null
    for update skip locked`,
);

/** Those that are there and that no other transaction holds, locked until this one ends. */
export async function lockFreeSyncs(
  db: Db,
  environmentId: EnvironmentId,
  ids: readonly SyncId[],
): Promise<Sync[]> {
  return await runHot<Sync>(db, lockFreeRows([environmentId, ids]));
}

const lockFreeOfConnections = hotStatement(
  "syncs_lock_free_of_connections",
  `with free as materialized (
     select id from syncs
      where environment_id = $1 and connection_uuid = any($2::uuid[]) and deleted_at is null
      for update skip locked)
   select distinct connection_uuid as connection from syncs
    where environment_id = $1 and connection_uuid = any($2::uuid[]) and deleted_at is null
      and id <> all(array(select id from free))`,
);

/**
 * Locks the schedules of these connections that no other transaction holds, until this one ends; answers the connections
 * of which another holds one.
 */
export async function lockFreeSyncsOf(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<ConnectionUuid[]> {
  const query = lockFreeOfConnections([environmentId, connections]);
  const rows = await runHot<{ connection: ConnectionUuid }>(db, query);
  return rows.map(({ connection }) => connection);
}

/** Whether any connection has this variant of a sync. */
export async function hasVariant(
  db: Db,
  environmentId: EnvironmentId,
  { functionIds, variant }: { functionIds: readonly number[]; variant: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from syncs
     where function_id = any(${functionIds}::bigint[]) and variant = ${variant}
       and (environment_id = ${environmentId}) is true and deleted_at is null limit 1`.execute(db);
  return rows.length > 0;
}
