import { startProgram } from "../start-program.ts";

export interface PgBouncer extends AsyncDisposable {
  /** The database of `databaseUrl`, through the pooler. */
  readonly url: string;
}

// It refuses to run as root; this is `nobody`.
const NOBODY = 65_534;

/** PgBouncer in transaction mode before a database on loopback. */
export async function startPgBouncer(command: string, databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl);
  // Of a server on a socket of the file system, its folder.
  const host = searchParams.get("host") ?? hostname;
  const login = `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  const pooler = await startProgram({
    command,
    config: (own) => `[databases]
* = host=${host} port=${port || "5432"} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
ignore_startup_parameters = extra_float_digits
`,
    args: ({ file }) => ["-q", file],
    userId: NOBODY,
    stopSignal: "SIGKILL",
  });
  return {
    url: `postgres://anybody@127.0.0.1:${pooler.port}${pathname}`,
    [Symbol.asyncDispose]: async () => await pooler[Symbol.asyncDispose](),
  };
}
