import type pg from "pg";

// Which tables there are is asked once for a database: the answer takes longer than all that they hold here.
const statements = new WeakMap<pg.Pool, Promise<string>>();

/** Of every row that belongs to an account, but for what a look at it changes, and counts that are written some seconds later. */
export async function fingerprint(pool: pg.Pool, accountId: string): Promise<string> {
  const statement = statements.get(pool) ?? writeStatement(pool);
  statements.set(pool, statement);
  const { rows } = await pool.query<{ name: string; sum: string | null }>(await statement, [
    accountId,
  ]);
  return rows.map(({ name, sum }) => `${name} ${sum}`).join("\n");
}

async function writeStatement(pool: pg.Pool): Promise<string> {
  const { rows: owned } = await pool.query<{ name: string; column: string }>(`
    select table_name as name, min(column_name) as column from information_schema.columns c
     where table_schema = 'public' and column_name in ('account_id', 'environment_id')
       and table_name !~ '(operation|message|metric|rate_limits|log_|_p?\\d{8}$|stage|run_counts|problems|reads$|^connection_uses$|^connect_funnel$)'
     group by table_name order by table_name`);
  if (owned.length < 15) throw new Error("the tables of accounts were not found");
  const sums = owned.map(({ name, column }) => {
    const mine =
      column === "account_id"
        ? "account_id = $1"
        : "environment_id in (select id from environments where account_id = $1)";
    return `select '${name}' as name, (select md5(string_agg(t, '|' order by t)) from
      (select (to_jsonb(x) - 'last_used_at' - 'last_fetched_at' - 'seal_id')::text as t from ${name} x where ${mine}) rows) as sum`;
  });
  return sums.join(" union all ");
}
