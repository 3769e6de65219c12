import { execFile } from "node:child_process";
import { chownSync, existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);
const FOLDERS = ["/usr/lib/postgresql/18/bin", "/usr/lib/postgresql/17/bin"].concat(
  "/usr/lib/postgresql/16/bin",
  "/usr/lib/postgresql/15/bin",
);
/** Postgres refuses to run as root. */
const NOBODY = 65_534;

/** Where the programs of a PostgreSQL are; undefined where there is none on this machine. */
export function findPrograms(): string | undefined {
  return FOLDERS.find((folder) => existsSync(join(folder, "pg_basebackup")));
}

type Member = "primary" | "standby" | "second";

/** A primary and a streaming standby of it, on loopback. */
export interface Standby extends AsyncDisposable {
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** Asks one of them as its superuser. */
  query(of: Member, text: string): Promise<pg.QueryResult>;
  stopPrimary(): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Another standby of the primary; resolves to its address. */
  addSecond(): Promise<string>;
  /** The second one follows the first from now on, in place of the primary. */
  redirectSecond(): Promise<void>;
}

/** Content of files by their names in the data folder, such as `pg_hba.conf`. */
type Files = Readonly<Record<string, string>>;

export async function startStandby(
  programs: string,
  files: { readonly primary?: Files; readonly standby?: Files } = {},
): Promise<Standby> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "jackfield-standby-"));
  stack.defer(async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const call = async (program: string, ...args: string[]) =>
    await run(join(programs, program), args, { cwd: folder, ...user });
  const [primary, standby, second] = [
    { data: join(folder, "primary"), port: await findFreePort() },
    { data: join(folder, "standby"), port: await findFreePort() },
    { data: join(folder, "second"), port: await findFreePort() },
  ];
  const members = { primary, standby, second };
  const start = async ({ data, port }: typeof primary) => {
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off -c shared_buffers=32MB`;
    const log = join(data, "server.log");
    await call("pg_ctl", "-D", data, "-w", "-t", "120", "-l", log, "-o", options, "start");
  };
  const stop = async ({ data }: typeof primary) => {
    await call("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop").catch(() => undefined);
  };
  const write = async ({ data }: typeof primary, contents: Files = {}) => {
    for (const [name, content] of Object.entries(contents)) {
      const path = join(data, name);
      await writeFile(path, content);
      await chmod(path, 0o600);
      if ("uid" in user) chownSync(path, NOBODY, NOBODY);
    }
  };
  if ("uid" in user) chownSync(folder, NOBODY, NOBODY);
  await call("initdb", "-D", primary.data, "-U", "postgres", "--auth=trust", "--no-sync");
  stack.defer(async () => await stop(primary));
  await write(primary, files.primary);
  await start(primary);
  const fromOf = ({ port }: typeof primary) => `host=127.0.0.1 port=${port} user=postgres`;
  const addStandby = async (added: typeof primary, contents?: Files) => {
    await mkdir(added.data, { mode: 0o700 });
    if ("uid" in user) chownSync(added.data, NOBODY, NOBODY);
    const how = ["-d", fromOf(primary), "-R", "-c", "fast", "--no-sync"];
    await call("pg_basebackup", "-D", added.data, ...how);
    await write(added, contents);
    await start(added);
  };
  stack.defer(async () => await stop(standby));
  await addStandby(standby, files.standby);
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`;
  const query = async (of: Member, text: string) => {
    const client = new pg.Client({ connectionString: urlOf(members[of].port) });
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  };
  const running = stack.move();
  return {
    primaryUrl: urlOf(primary.port),
    standbyUrl: urlOf(standby.port),
    query,
    stopPrimary: async () => await stop(primary),
    stopStandby: async () => await stop(standby),
    startStandby: async () => await start(standby),
    async addSecond() {
      running.defer(async () => await stop(second));
      await addStandby(second);
      return urlOf(second.port);
    },
    async redirectSecond() {
      await query("second", `alter system set primary_conninfo = '${fromOf(standby)}'`);
      await query("second", "select pg_reload_conf()");
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === "object" && address !== null ? address.port : 0;
}
