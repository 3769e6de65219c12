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
