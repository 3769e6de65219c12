import pg from "pg";

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs one statement as the server's administrator. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** How names of databases begin that are made ready for distribution. */
export const PREPARED_NAME = "jackfield_test_prepared_";

export function isPreparedName(database: string): boolean {
  return database.startsWith(PREPARED_NAME);
}
