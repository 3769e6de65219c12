import type pg from "pg";

/** Bytes on disk by table, with indexes and what is stored out of line; partitions count for their table. */
export async function readTableBytes(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ table: string; bytes: number }>(
    `select coalesce(pg_partition_root(relid), relid)::regclass::text as table,
            sum(pg_total_relation_size(relid))::float8 as bytes
       from pg_stat_user_tables group by 1`,
  );
  return new Map(rows.map(({ table, bytes }) => [table, bytes]));
}
