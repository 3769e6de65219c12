import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { BenchRow } from "../meters/row.ts";

/** A session that works reports its counts at the first statement after a second. */
const REPORTED_MS = 1100;

/** So often that what the server reads meanwhile, for itself, hardly counts. */
const TIMES = 300;

/** Rows that the database reads each time that this is done, of all tables. */
export async function readsOf(
  client: pg.Client,
  work: () => Promise<unknown>,
  times = TIMES,
): Promise<number> {
  const report = async () => {
    await sleep(REPORTED_MS);
    await work();
    return await countReads(client);
  };
  const before = await report();
  for (let time = 0; time < times; time += 1) await work();
  return ((await report()) - before) / (times + 1);
}

async function countReads(client: pg.Client): Promise<number> {
  return (await readCounts(client)).values().reduce((sum, count) => sum + count, 0);
}

/** Rows that the database has read so far, by table. */
export async function readCounts(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ table: string; count: number }>(
    `select relid::regclass::text as table, (coalesce(idx_tup_fetch, 0) + seq_tup_read)::float8 as count
       from pg_stat_user_tables`,
  );
  return new Map(rows.map(({ table, count }) => [table, count]));
}

const units = {
  "a connection": ["connections"],
  "a schedule": ["syncs"],
  "a record": ["records"],
  "an operation": ["operations"],
} as const;

/** Bytes on disk by unit, with indexes and what is stored out of line. */
export async function listSizes(client: pg.Client): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, tables] of Object.entries(units)) {
    const result = await client.query<{ bytes: number; rows: number }>(
      `select sum(pg_total_relation_size(c.oid))::float8 as bytes, sum(greatest(c.reltuples, 0))::float8 as rows
         from pg_class c
        where c.relkind = 'r' and (
          c.oid = any($1::text[]::regclass[])
          or c.oid in (select relid from unnest($1::text[]) t, pg_partition_tree(t::regclass)))`,
      [tables],
    );
    const [found] = result.rows;
    if (found === undefined || found.rows === 0) continue;
    rows.push({
      name: `scale: ${name} on disk`,
      value: found.bytes / found.rows,
      unit: "bytes",
      note: `${found.rows.toLocaleString("en")} of them, ${(found.bytes / 1e9).toFixed(2)} GB`,
    });
  }
  return rows;
}
