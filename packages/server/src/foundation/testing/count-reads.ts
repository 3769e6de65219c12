import { sql } from "kysely";
import { type Db, withTransaction } from "../db/index.ts";

/** How many rows Postgres reads for what is done, of the tables whose names are like the pattern. */
export async function countReads<Ctx extends { readonly db: Db }>(
  ctx: Ctx,
  tables: string,
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<number> {
  return await withTransaction(ctx, async (ctx) => {
    const before = await readCount(ctx.db, tables);
    await work(ctx);
    return (await readCount(ctx.db, tables)) - before;
  });
}

async function readCount(db: Db, tables: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as count
      from pg_stat_xact_user_tables where relname like ${tables}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Which tables Postgres looks into for what is done, of those whose names are like the pattern. */
export async function listScanned<Ctx extends { readonly db: Db }>(
  ctx: Ctx,
  tables: string,
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<readonly string[]> {
  return await withTransaction(ctx, async (ctx) => {
    const before = await readScans(ctx.db, tables);
    await work(ctx);
    const after = await readScans(ctx.db, tables);
    return [...after.keys()].filter((name) => (after.get(name) ?? 0) > (before.get(name) ?? 0));
  });
}

async function readScans(db: Db, tables: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; scans: number }>`
    select relname as name, (coalesce(idx_scan, 0) + seq_scan)::int as scans
      from pg_stat_xact_user_tables where relname like ${tables} order by 1`.execute(db);
  return new Map(rows.map(({ name, scans }) => [name, scans]));
}
