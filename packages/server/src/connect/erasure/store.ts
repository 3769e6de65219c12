import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Deletes the sessions of an end user, and those that made or renew connections, with their attempts. */
export async function deleteSessionsOf(
  db: Db,
  environmentId: EnvironmentId,
  { endUserId, connections }: { endUserId: string; connections: readonly ConnectionUuid[] },
): Promise<number> {
  const result = await sql`
    delete from connect_sessions
     where environment_id = ${environmentId}
       and (settings -> 'tags' ->> 'end_user_id' = ${endUserId}
            or settings -> 'endUser' ->> 'id' = ${endUserId}
            or connection_uuid = any(${connections}::uuid[])
            or reconnect_connection = any(${connections}::uuid[])
            or id in (select session_id from connect_attempts
                       where environment_id = ${environmentId}
                         and connection_uuid = any(${connections}::uuid[])))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/** Deletes the links that were made for an end user, and those that authorize these connections again. */
export async function deleteLinksOf(
  db: Db,
  environmentId: EnvironmentId,
  { endUserId, connections }: { endUserId: string; connections: readonly ConnectionUuid[] },
): Promise<number> {
  const result = await sql`
    delete from connect_links
     where environment_id = ${environmentId}
       and (settings -> 'tags' ->> 'end_user_id' = ${endUserId}
            or reconnect_connection = any(${connections}::uuid[]))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/** Deletes messages to pop-ups that name a connection; they belong to no environment. */
export async function deletePopupsNaming(db: Db, names: readonly string[]): Promise<void> {
  await sql`
    delete from connect_popups where message ->> 'connection_id' = any(${names}::text[])`.execute(
    db,
  );
}
