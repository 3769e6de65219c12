import { sql } from "kysely";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Connection } from "../connection.ts";
import { connectionTables, liveOf, toConnection } from "../store.ts";

/** The connection as it is now, locked until the transaction ends. */
export async function lockByUuid(
  db: Db,
  environmentId: EnvironmentId,
  uuid: ConnectionUuid,
): Promise<Connection | undefined> {
  const row = await liveOf(db, environmentId)
    .where("uuid", "=", uuid)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : toConnection(row);
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
