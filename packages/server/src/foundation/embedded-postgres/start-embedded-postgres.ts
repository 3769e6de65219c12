import { chmodSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type Binaries, prepareBinaries } from "./binaries.ts";
import {
  type ClusterLocation,
  folderForBinaries,
  locateCluster,
  setOrphanAside,
  writePointer,
} from "./cluster/cluster-location.ts";
import { createCluster, readOrCreatePassword, requireVersion } from "./cluster/create-cluster.ts";
import { isRoot } from "./cluster/database-owner.ts";
import { type FolderLock, lockFolder } from "./cluster/folder-lock.ts";
import { clearDeadServer, findServer, runsProgram } from "./server/find-server.ts";
import { type LaunchInput, launchServer, waitUntilReady } from "./server/launch-server.ts";
import { readPostmasterFile } from "./server/postmaster-file.ts";
import { type RunningServer, signalServer, stopServer } from "./server/running-server.ts";
import { isListening, removeSocket, toConnectionString } from "./server/server-address.ts";

type Log = (event: string, fields: Record<string, unknown>) => void;

/** How to start the embedded database. */
export interface EmbeddedPostgresOptions {
  /** Made when missing; the database's password, log and (usually) files live in it. */
  dataDir: string;
  log: Log;
  /** Trades durability in a power cut for speed. */
  forTests?: boolean;
  /** Leaves the server running at `stop` and at exit, for the next start to attach to. */
  keepRunning?: boolean;
}

/** A ready database server of our own. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** URL of the superuser `postgres` on database `postgres`; holds the password. */
  readonly connectionString: string;
  readonly dataDirectory: string;
  readonly processId: number;
  /** The server was already there: it outlived the process that started it. */
  readonly attached: boolean;
  /** Stops the server and unlocks the folder; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the database of `dataDir`, made on the first start, or attaches to one that outlived its
 * parent. Throws `DataFolderInUseError` when another process uses it, else `EmbeddedPostgresError`.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  // As root, others may pass through (not list): the database's user has its files in there.
  mkdirSync(options.dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const dataDir = realpathSync(options.dataDir);
  // A test's temporary folder is 0700: root's databases would pile up outside it.
  if (options.forTests === true && isRoot()) chmodSync(dataDir, 0o711);
  const locks = [lockFolder(dataDir, dataDir)];
  try {
    return await startLocked(dataDir, options, locks);
  } catch (error) {
    releaseAll(locks);
    throw error;
  }
}

async function startLocked(
  dataDir: string,
  options: EmbeddedPostgresOptions,
  locks: FolderLock[],
): Promise<EmbeddedPostgres> {
  const startedAt = performance.now();
  const location = locateCluster(dataDir);
  // A copied data folder points at the same cluster as its original.
  if (location.outside) locks.push(lockFolder(location.home, dataDir));
  const binaries = prepareBinaries(location.owner, folderForBinaries(location));
  const forTests = options.forTests ?? false;
  const input = { location, binaries, forTests, logFile: join(dataDir, "postgres.log") };

  const { password, created } = await ensureCluster(dataDir, input, options.log);
  const { server, attached } = await attachOrLaunch(input, options.log);
  options.log("embedded_postgres_ready", {
    processId: server.processId,
    dataDirectory: location.cluster,
    created,
    attached,
    durationMs: Math.round(performance.now() - startedAt),
  });

  const stop = stopOnce(server, locks, options.keepRunning ?? false);
  return {
    connectionString: toConnectionString(server.address, password),
    dataDirectory: location.cluster,
    processId: server.processId,
    attached,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function ensureCluster(
  dataDir: string,
  input: LaunchInput,
  log: Log,
): Promise<{ password: string; created: boolean }> {
  const { location, binaries } = input;
  const aside = await setOrphanAsideWhenStopped(dataDir, location);
  if (aside !== undefined) log("embedded_postgres_orphan_set_aside", { folder: aside });

  const created = !existsSync(location.cluster);
  const password = readOrCreatePassword(dataDir, location);
  if (created) await createCluster(location, binaries, { password, durable: !input.forTests });
  requireVersion(location.cluster, binaries);
  writePointer(dataDir, location);
  return { password, created };
}

async function setOrphanAsideWhenStopped(
  dataDir: string,
  location: ClusterLocation,
): Promise<string | undefined> {
  const aside = setOrphanAside(dataDir, location);
  if (aside === undefined) return undefined;
  const server = await findServer({ ...location, cluster: aside });
  if (server !== undefined) await stopServer(server);
  return aside;
}

async function attachOrLaunch(
  input: LaunchInput,
  log: Log,
): Promise<{ server: RunningServer; attached: boolean }> {
  const { location, binaries, logFile } = input;
  const found = await findServer(location);
  if (found !== undefined && canAttach(location, binaries)) {
    const address = await waitUntilReady(found, location.cluster, logFile);
    // Its file says ready also while it is being killed.
    if (address !== undefined && (await isListening(address)) && found.isAlive()) {
      return { server: { ...found, address }, attached: true };
    }
  }
  if (found !== undefined) await stopServer(found);
  if (readPostmasterFile(location.cluster) !== undefined) await clearDeadServer(location);

  const server = await launchServer(input);
  server.child.once("exit", (code, signal) => log("embedded_postgres_ended", { code, signal }));
  return { server, attached: false };
}

function canAttach(location: ClusterLocation, binaries: Binaries): boolean {
  const isStopping = readPostmasterFile(location.cluster)?.status === "stopping";
  return !isStopping && runsProgram(binaries, location.cluster);
}

function stopOnce(
  server: RunningServer,
  locks: readonly FolderLock[],
  keepRunning: boolean,
): () => Promise<void> {
  // `exit` leaves no time to wait: the server ends by itself once it has the signal.
  const stopAtExit = (): void => signalServer(server, "SIGINT");
  if (!keepRunning) process.once("exit", stopAtExit);

  async function stop(): Promise<void> {
    process.removeListener("exit", stopAtExit);
    try {
      if (keepRunning) return;
      await stopServer(server);
      removeSocket(server.address);
    } finally {
      releaseAll(locks);
    }
  }
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stop();
    return stopped;
  };
}

function releaseAll(locks: readonly FolderLock[]): void {
  for (const lock of locks) lock.release();
}
