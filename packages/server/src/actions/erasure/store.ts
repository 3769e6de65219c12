import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Deletes actions of connections, with their sealed inputs and outcomes, but for those that run. */
export async function deleteActionsOf(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<{ readonly deleted: number; readonly running: number }> {
  const { rows } = await sql<{ deleted: number; running: number }>`
    with own as materialized (
      select id, created_at, state from async_actions
       where environment_id = ${environmentId} and connection_uuid = any(${connections}::uuid[])
    ), gone as (
      delete from async_actions a using own
       where own.state <> 'running' and a.id = own.id and a.created_at = own.created_at and a.state <> 'running'
      returning 1)
    select (select count(*) from gone)::int as deleted,
           (select count(*) from own where state = 'running')::int as running`.execute(db);
  return rows[0] ?? { deleted: 0, running: 0 };
}
