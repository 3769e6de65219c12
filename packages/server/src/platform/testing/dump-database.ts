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
    const { rows: tables } = await client.query<{ name: string }>(
      "select c.oid::regclass::text as name from pg_class c where c.relkind = 'r' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)",
    );
    // Most are empty, which one question finds out.
    const questions = tables.map(
      ({ name }, at) => `select ${at} as at where exists (select from ${name})`,
    );
    const { rows: filled } = await client.query<{ at: number }>(
      questions.join(" union all ") || "select 0 as at where false",
    );
    const hasRows = new Set(filled.map(({ at }) => at));
    const dumps: TableDump[] = [];
    for (const [at, { name }] of tables.entries()) {
      if (!hasRows.has(at)) {
        dumps.push({ name, text: "" });
        continue;
      }
      const { rows } = await client.query<{ line: string }>(
        `select t::text as line from ${name} t`,
      );
      dumps.push({ name, text: rows.map(({ line }) => line).join("\n") });
    }
    return dumps;
  } finally {
    await client.end();
  }
}
