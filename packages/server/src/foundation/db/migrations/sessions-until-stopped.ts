import pg from "pg";
import { SECOND } from "../../clock.ts";
import { destroyConnection } from "../sessions/ask-sessions.ts";

/** Until the database has ended what a session waits for; then its socket alone is closed. */
const PATIENCE_MS = 2 * SECOND;

export interface Session extends AsyncDisposable {
  readonly client: pg.Client;
}

/** Sessions of one piece of work, which end when its signal is aborted, also while they wait for a lock. */
export interface Sessions {
  readonly connectionString: string;
  connect(): Promise<Session>;
  /** For a session that somebody else has opened. */
  watch(client: pg.ClientBase): void;
  /** Why the sessions were ended, if they were. */
  stopped(): Error | undefined;
}

/** A statement that waits for a lock does not notice that its client has gone: the database is asked to end it. */
export function openSessions(connectionString: string, signal: AbortSignal | undefined): Sessions {
  const open = new Set<pg.ClientBase>();
  const watch = (client: pg.ClientBase): void => {
    open.add(client);
    client.on("end", () => open.delete(client));
    // Its statement reports the same.
    client.on("error", () => undefined);
  };
  signal?.addEventListener("abort", () => void endAll(connectionString, open), { once: true });
  return {
    connectionString,
    watch,
    async connect() {
      signal?.throwIfAborted();
      const client = new pg.Client({ connectionString });
      watch(client);
      await client.connect();
      return { client, [Symbol.asyncDispose]: async () => await client.end() };
    },
    stopped: () =>
      signal?.aborted === true ? new Error("stopped before the schema was up to date") : undefined,
  };
}

async function endAll(connectionString: string, open: ReadonlySet<pg.ClientBase>): Promise<void> {
  const clients = [...open];
  const pids = clients.flatMap((client) =>
    "processID" in client && typeof client.processID === "number" ? [client.processID] : [],
  );
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select pg_terminate_backend(pid) from unnest($1::int[]) as pid", [pids]);
  } catch {
    // Behind a pooler, or away: the socket is closed all the same.
  } finally {
    for (const each of [client, ...clients]) destroyConnection(each);
  }
}
