import pg from "pg";

/**
 * Whether the address leads to a pooler that lends a server connection for one transaction only: two sessions that
 * are open at once are then served by one process of Postgres.
 */
export async function isPooler(connectionString: string): Promise<boolean> {
  const options = { connectionString, connectionTimeoutMillis: 10_000, query_timeout: 10_000 };
  const clients = [new pg.Client(options), new pg.Client(options)];
  // The query that waits on a connection reports its loss.
  for (const client of clients) client.on("error", () => undefined);
  try {
    for (const client of clients) await client.connect();
    const processes = new Set<number>();
    for (const client of clients) {
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      for (const { pid } of rows) processes.add(pid);
    }
    return processes.size === 1;
  } finally {
    await Promise.all(clients.map(async (client) => await client.end().catch(() => undefined)));
  }
}
