import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Connection } from "../connection.ts";
import { connectionTables, liveOf, toConnection } from "../store.ts";

interface LockedPage {
  readonly integrationId: number;
  /** Only those that were created before. */
  readonly before?: Date | undefined;
  readonly limit: number;
  /** Passes over those that another transaction holds; otherwise it waits for them. */
  readonly isFree?: boolean;
}

/** Connections of an integration, the newest first, locked until the transaction ends. */
export async function lockSomeOf(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, before, limit, isFree = false }: LockedPage,
): Promise<Connection[]> {
  const rows = await liveOf(db, environmentId)
    .where("integrationId", "=", integrationId)
    .$if(before !== undefined, (query) => query.where(sql<boolean>`created_at < ${before}`))
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .forUpdate()
    .$if(isFree, (query) => query.skipLocked())
    .execute();
  return rows.map(toConnection);
}

export interface Deletion {
  readonly uuid: ConnectionUuid;
  /** The sealed credentials, for as long as the provider has to be notified. */
  readonly kept: Buffer | undefined;
  readonly endUserHash: Buffer | undefined;
}

/** Hides the rows, which the caller has locked, and empties them but for what is kept: nothing says whose they were. */
export async function deleteRows(
  db: Db,
  environmentId: EnvironmentId,
  { deletions, now }: { readonly deletions: readonly Deletion[]; readonly now: Date },
): Promise<void> {
  await sql`
    update connections c
       set deleted_at = ${now}, updated_at = ${now}, credentials = coalesce(d.kept, ''),
           held_token_hash = null, end_user_hash = d.end_user_hash, metadata = null, tags = '{}',
           connection_config = '{}', webhook_url_override = null, errors = '[]', refresh_error = null,
           webhook_secret = null, account = null
      from unnest(${deletions.map(({ uuid }) => uuid)}::uuid[],
                  ${deletions.map(({ kept }) => kept ?? null)}::bytea[],
                  ${deletions.map(({ endUserHash }) => endUserHash ?? null)}::bytea[])
           as d (uuid, kept, end_user_hash)
     where c.uuid = d.uuid and (c.environment_id = ${environmentId} and c.deleted_at is null) is true`.execute(
    db,
  );
}

/** What a deleted connection has kept for its withdrawal; undefined when nothing is left to do. */
export async function findKept(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<{ sealed: Buffer; id: number; connectionId: string } | undefined> {
  const row = await connectionTables(db)
    .selectFrom("connections")
    .select(["credentials as sealed", "id", "connectionId"])
    .where("environmentId", "=", environmentId)
    .where("uuid", "=", uuid)
    .where("deletedAt", "is not", null)
    .executeTakeFirst();
  return row === undefined || row.sealed.length === 0 ? undefined : row;
}

export async function forgetKept(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<void> {
  await connectionTables(db)
    .updateTable("connections")
    .set({ credentials: Buffer.alloc(0) })
    .where("environmentId", "=", environmentId)
    .where("uuid", "=", uuid)
    .where("deletedAt", "is not", null)
    .execute();
}

/** Connections that are live, or deleted without their provider knowing yet. */
export async function countUnfinished(db: Db, environmentId: EnvironmentId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from connections
     where environment_id = ${environmentId}
       and (deleted_at is null or octet_length(credentials) > 0)`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Empties what was kept by connections deleted before `until`, whose withdrawal never ended. */
export async function forgetKeptBefore(db: Db, until: Date): Promise<number> {
  const result = await connectionTables(db)
    .updateTable("connections")
    .set({ credentials: Buffer.alloc(0) })
    .where("deletedAt", "<", until)
    .where((where) => where(where.fn<number>("octet_length", ["credentials"]), ">", 0))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
