import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

export interface ErasedConnection {
  readonly uuid: ConnectionUuid;
  readonly connectionId: string;
  readonly integrationId: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Address of the account at the provider, as that says. */
  readonly accountEmail: string | null;
  readonly isDeleted: boolean;
}

export async function listRowsOfEndUser(
  db: Db,
  environmentId: EnvironmentId,
  { endUserId, hash }: { endUserId: string; hash: Buffer },
): Promise<ErasedConnection[]> {
  const tags = JSON.stringify({ end_user_id: endUserId });
  const columns =
    sql.raw(`uuid, connection_id as "connectionId", integration_id::int as "integrationId",
    tags, account ->> 'email' as "accountEmail", deleted_at is not null as "isDeleted"`);
  const { rows } = await sql<ErasedConnection>`
    select ${columns} from connections
     where environment_id = ${environmentId} and deleted_at is null and tags @> ${tags}::jsonb
    union all
    select ${columns} from connections
     where environment_id = ${environmentId} and end_user_hash = ${hash} and deleted_at is not null`.execute(
    db.withoutPlugins(),
  );
  return rows;
}

/** Whether one of these is still in use, or keeps credentials for its withdrawal. */
export async function hasKept(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from connections
     where environment_id = ${environmentId} and uuid = any(${connections}::uuid[])
       and (deleted_at is null or octet_length(credentials) > 0) limit 1`.execute(db);
  return rows.length > 0;
}

export async function disguiseRows(
  db: Db,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<number> {
  const result = await sql`
    update connections
       set connection_id = 'erased-' || uuid, metadata = null, tags = '{}', connection_config = '{}',
           webhook_url_override = null, errors = '[]', refresh_error = null, held_token_hash = null,
           webhook_secret = null, account = null
     where environment_id = ${environmentId} and uuid = any(${connections}::uuid[])
       and deleted_at is not null and connection_id <> 'erased-' || uuid`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

/** Removes rows that were deleted before a time, and that no schedule, model or withdrawal needs any more. */
export async function removeDeletedRows(
  db: Db,
  environmentId: EnvironmentId,
  { before, limit }: { before: Date; limit: number },
): Promise<ConnectionUuid[]> {
  const { rows } = await sql<{ uuid: ConnectionUuid }>`
    delete from connections where id in (
      select c.id from connections c
       where c.environment_id = ${environmentId} and c.deleted_at < ${before} and octet_length(c.credentials) = 0
         and not exists (select from syncs where connection_uuid = c.uuid)
         and not exists (
           select from record_directory where environment_id = c.environment_id and connection_uuid = c.uuid)
       limit ${limit})
    returning uuid`.execute(db);
  return rows.map(({ uuid }) => uuid);
}

/** Empties deleted rows of every environment after an id; resolves to the last one looked at, undefined at the end. */
export async function emptyDeletedRows(
  db: Db,
  { after, limit }: { after: number; limit: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ last: number | null; count: number }>`
    with looked as materialized (
      select id from connections where id > ${after} and deleted_at is not null order by id limit ${limit}
    ), emptied as (
      update connections
         set metadata = null, tags = '{}', connection_config = '{}', webhook_url_override = null,
             errors = '[]', refresh_error = null, webhook_secret = null, account = null
       where id in (select id from looked)
         and (metadata is not null or tags <> '{}' or connection_config <> '{}' or errors <> '[]'
              or webhook_url_override is not null or refresh_error is not null
              or webhook_secret is not null or account is not null)
    )
    select max(id)::float8 as last, count(*)::int as count from looked`.execute(db);
  const [row] = rows;
  return row === undefined || row.count < limit ? undefined : (row.last ?? undefined);
}
