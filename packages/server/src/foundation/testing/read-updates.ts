import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../db/index.ts";

export interface TableUpdates {
  readonly inserts: number;
  readonly updates: number;
  /** Of the updates, those that wrote no index (HOT). */
  readonly inPlace: number;
}

/** What has become of the rows of these tables, their partitions included; connections of other handles end. */
export async function readUpdates(
  { db }: { readonly db: Db },
  tables: readonly string[],
): Promise<(table: string) => TableUpdates> {
  // Each session tells what it has counted when it ends, else after ten seconds at rest.
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const read = async () => {
    const { rows } = await sql<TableUpdates & { name: string }>`
      select wanted.name, sum(n_tup_ins)::int as inserts, sum(n_tup_upd)::int as updates,
             sum(n_tup_hot_upd)::int as in_place
        from unnest(${tables}::text[]) as wanted (name)
        join pg_stat_user_tables on relname = wanted.name or relname ~ ('^' || wanted.name || '_([0-9]|default)')
       group by wanted.name`.execute(db);
    return rows;
  };
  let rows = await read();
  for (let before = ""; before !== JSON.stringify(rows); rows = await read()) {
    before = JSON.stringify(rows);
    await sleep(500);
  }
  return (table) => {
    const found = rows.find(({ name }) => name === table);
    if (found === undefined) throw new Error(`nothing is known of ${table}`);
    return found;
  };
}

/** Until no other session, autovacuum's included, may see old versions of rows: then there is room for new ones. */
export async function waitForSnapshots({ db }: { readonly db: Db }): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and (backend_xmin is not null or backend_xid is not null)`.execute(db);
    if (rows[0]?.count === 0) return;
    await sleep(10);
  }
}
