import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Deletes some of the ended runs of connections; resolves to how many. */
export async function deleteEndedRuns(
  db: Db,
  environmentId: EnvironmentId,
  { connections, limit }: { connections: readonly ConnectionUuid[]; limit: number },
): Promise<number> {
  const result = await sql`
    delete from runs r using (
      select id, created_at from runs
       where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])
         and state not in ('waiting', 'running')
       limit ${limit}) found
     where r.id = found.id and r.created_at = found.created_at`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

export async function hasOpenRuns(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from runs
     where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])
       and state in ('waiting', 'running') limit 1`.execute(db);
  return rows.length > 0;
}

/** Forgets how far the deleted syncs of connections had come. */
export async function emptySyncs(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  await sql`
    update syncs set unfinished = null, follow_up = null
     where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])
       and deleted_at is not null and (unfinished is not null or follow_up is not null)`.execute(
    db,
  );
}
