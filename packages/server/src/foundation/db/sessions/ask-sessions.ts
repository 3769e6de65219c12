import pg from "pg";
import { SECOND } from "../../clock.ts";

const PATIENCE_MS = 3 * SECOND;

/** Process ids of the sessions that work on a statement; "unknown" behind a pooler, which makes up ids. */
export type BusySessions = ReadonlySet<number> | "unknown";

/** Asks over a connection of its own; undefined when the database does not answer within 3 s. */
export async function askSessions(
  connectionString: string,
  { pooled }: { pooled: boolean },
): Promise<BusySessions | undefined> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: "jackfield probe",
  });
  client.on("error", () => undefined);
  const late = setTimeout(() => destroyConnection(client), PATIENCE_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where state in ('active', 'fastpath function call')",
    );
    return pooled ? "unknown" : new Set(rows.map(({ pid }) => pid));
  } catch {
    return undefined;
  } finally {
    clearTimeout(late);
    destroyConnection(client);
  }
}

/** Closes the socket: `end()` of pg waits for the other side. */
export function destroyConnection(client: pg.ClientBase, reason?: Error): void {
  if (!("connection" in client)) return;
  const { connection } = client;
  if (typeof connection !== "object" || connection === null || !("stream" in connection)) return;
  const { stream } = connection;
  if (typeof stream !== "object" || stream === null || !("destroy" in stream)) return;
  if (typeof stream.destroy === "function") stream.destroy(reason);
}
