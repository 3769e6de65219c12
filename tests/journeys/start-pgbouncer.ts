import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

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
  const folder = await mkdtemp(join(tmpdir(), "jackfield-pgbouncer-"));
  await chmod(folder, 0o755);
  const own = await findFreePort();
  const config = join(folder, "pgbouncer.ini");
  const login = `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  await writeFile(
    config,
    `[databases]
* = host=${host} port=${port || "5432"} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
ignore_startup_parameters = extra_float_digits
`,
  );
  const isRoot = process.getuid?.() === 0;
  const child = spawn(command, ["-q", config], {
    stdio: "ignore",
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (!(await isListening(own))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with code ${child.exitCode}`);
    await sleep(20);
  }
  return {
    url: `postgres://anybody@127.0.0.1:${own}${pathname}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}
