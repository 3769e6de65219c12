import { sql } from "kysely";
import type { Db } from "./owned-db.ts";

/** Bytes on disk: of the whole database, and of each table with its indexes and partitions. */
export interface DatabaseSizes {
  readonly tables: readonly { readonly table: string; readonly bytes: number }[];
  readonly total: number;
}

/** Waits for nobody: a table that is being altered makes it fail after half a second. */
export async function readDatabaseSizes(db: Db): Promise<DatabaseSizes> {
  return await db.transaction().execute(async (db) => {
    await sql`set local lock_timeout = '500ms'`.execute(db);
    await sql`set local statement_timeout = '10s'`.execute(db);
    const tables = await sql<{ table: string; bytes: number }>`
      select root.relname as table, sum(pg_total_relation_size(c.oid))::int8 as bytes
        from pg_class c join pg_class root on root.oid = coalesce(pg_partition_root(c.oid), c.oid)
       where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, to_regnamespace('graphile_worker'))
       group by root.relname`.execute(db);
    const { rows } = await sql<{ total: number }>`
      select pg_database_size(current_database()) as total`.execute(db);
    return { tables: tables.rows, total: rows[0]?.total ?? 0 };
  });
}
