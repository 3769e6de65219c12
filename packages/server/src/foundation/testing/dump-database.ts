import pg from "pg";

export interface TableDump {
  readonly name: string;
  /** A row a line; bytes stand in hex. */
  readonly text: string;
}

/** Every table of a database as text. */
export async function dumpDatabase(connectionString: string): Promise<TableDump[]> {
  // A test may leave a transaction open that holds a table.
  const client = new pg.Client({ connectionString, lock_timeout: 5000 });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string; isWritten: boolean }>(`
      select c.oid::regclass::text as name, pg_relation_size(c.oid) > 0 as "isWritten" from pg_class c
       where c.relkind = 'r'
         and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`);
    const dumps: TableDump[] = [];
    for (const { name, isWritten } of tables) {
      const lines = isWritten ? `select t::text as line from ${name} t` : undefined;
      const { rows } =
        lines === undefined ? { rows: [] } : await client.query<{ line: string }>(lines);
      dumps.push({ name, text: rows.map(({ line }) => line).join("\n") });
    }
    return dumps;
  } finally {
    await client.end();
  }
}
