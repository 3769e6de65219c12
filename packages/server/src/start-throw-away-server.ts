import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { readConfig } from "#config";
import { createThrowAwayDatabase } from "#foundation/db";
import {
  DataFolderInUseError,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "#foundation/embedded-postgres";
import { type RunningServer, startServer } from "./start-server.ts";

/** Test processes that may have a server at the same time. */
const MAX_CLUSTERS = 16;

/**
 * A whole platform with an empty database, in this process, on a free port: for tests. The database server's files
 * are kept in the system's folder for temporary files, so that only the first start has to make them. `env` holds
 * `SVC_*` settings; with `SVC_DATABASE_URL` no database server is started. Calls to loopback addresses are allowed
 * unless it says otherwise.
 */
export async function startThrowAwayServer(
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "jackfield-platform-"));
  stack.defer(async () => await rm(dataDir, { recursive: true, force: true }));
  const { config, problems } = readConfig({
    SVC_DATA_DIR: dataDir,
    SVC_DATABASE_URL: env["SVC_DATABASE_URL"] ?? (await makeDatabase(stack)),
    SVC_PORT: "0",
    SVC_LOG_LEVEL: "error",
    SVC_EGRESS_ALLOW: "127.0.0.1/32,::1/128",
    ...env,
  });
  if (config === undefined) throw new Error(problems.join("\n"));
  const server = stack.use(await startServer({ config }));
  const running = stack.move();
  return { ...server, [Symbol.asyncDispose]: async () => await running.disposeAsync() };
}

async function makeDatabase(stack: AsyncDisposableStack): Promise<string> {
  const { connectionString } = stack.use(await startFreeCluster(openClustersFolder()));
  return await createThrowAwayDatabase(connectionString);
}

async function startFreeCluster(folder: string): Promise<EmbeddedPostgres> {
  for (let number = 1; ; number += 1) {
    try {
      const dataDir = join(folder, `cluster-${number}`);
      return await startEmbeddedPostgres({ dataDir, log: () => {}, forTests: true });
    } catch (error) {
      if (!(error instanceof DataFolderInUseError) || number >= MAX_CLUSTERS) throw error;
    }
  }
}

/** One of this user's own: another user's files are not started. */
function openClustersFolder(): string {
  const folder = join(tmpdir(), `jackfield-tests-${userInfo().username}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid } = lstatSync(folder);
  const ownUid = process.getuid?.();
  if (ownUid !== undefined && uid !== ownUid) {
    throw new Error(
      `${folder} belongs to another user; remove it, or set TMPDIR to a folder of yours.`,
    );
  }
  // As root, the database runs as another user and has to pass through.
  chmodSync(folder, ownUid === 0 ? 0o711 : 0o700);
  return folder;
}
