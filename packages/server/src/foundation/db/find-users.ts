import pg from "pg";

/** Name that the connections of a platform go by. */
export const APPLICATION_NAME = "jackfield";

/** How many connections of a platform the database has. */
export async function findUsers(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString, application_name: `${APPLICATION_NAME} tool` });
  await client.connect();
  try {
    const { rows } = await client.query<{ users: number }>(
      `select count(*)::int as users from pg_stat_activity
       where datname = current_database() and application_name = '${APPLICATION_NAME}'`,
    );
    return rows[0]?.users ?? 0;
  } finally {
    await client.end();
  }
}
