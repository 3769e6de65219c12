import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Binaries } from "../binaries.ts";
import type { ClusterLocation } from "../cluster/cluster-location.ts";
import { EmbeddedPostgresError, errorCode } from "../errors.ts";
import { clearDeadServer } from "./find-server.ts";
import { readPostmasterFile } from "./postmaster-file.ts";
import { ownServer, type RunningServer, type ServerProcess, stopServer } from "./running-server.ts";
import {
  proposeAddresses,
  removeSocket,
  type ServerAddress,
  toServerOptions,
} from "./server-address.ts";

const SIZE_LIMIT = 10 * 1024 * 1024;
const TAIL_BYTES = 4096;

const READY_TIMEOUT_MS = 60_000;
const BUSY_RETRY_MS = 10_000;
const POLL_MS = 10;

// A test database need not survive a power cut.
const TEST_OPTIONS = [
  ...["-F", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"],
  ...["-c", "wal_level=minimal", "-c", "max_wal_senders=0"],
  // Test files that run at once start several platforms each, with 20 connections a process.
  ...["-c", "max_connections=400"],
  // By what a test stands for a cluster, which commits in two phases.
  ...["-c", "max_prepared_transactions=10"],
];

/** What a server is started from. */
export interface LaunchInput {
  location: ClusterLocation;
  binaries: Binaries;
  logFile: string;
  forTests: boolean;
}

/** A server that this process started. */
export interface LaunchedServer extends RunningServer {
  readonly child: ChildProcess;
}

/** Starts the server at the first address that works and waits until it accepts connections. */
export async function launchServer(
  input: LaunchInput,
  addresses: AsyncIterable<ServerAddress> = proposeAddresses(
    input.location.home,
    input.location.owner,
  ),
): Promise<LaunchedServer> {
  const busyUntil = performance.now() + BUSY_RETRY_MS;
  let output = "";
  for await (const address of addresses) {
    for (;;) {
      const attempt = await launchAt(input, address);
      if (attempt.kind === "ready") return attempt.server;
      output = attempt.output;
      if (!isFolderBusy(output) || performance.now() > busyUntil) break;
      await clearDeadServer(input.location);
      await delay(50);
    }
    removeSocket(address);
    if (!isAddressRefused(output)) break;
  }
  throw new EmbeddedPostgresError(
    `The database server did not start. The end of its log ${input.logFile}:\n${output}`,
  );
}

/** Waits until the server's own file says that it is ready; `undefined` when it ended instead. */
export async function waitUntilReady(
  server: ServerProcess,
  cluster: string,
  logFile: string,
  { withinMs = READY_TIMEOUT_MS }: { readonly withinMs?: number } = {},
): Promise<ServerAddress | undefined> {
  let logSize = sizeOfLog(logFile);
  let deadline = performance.now() + withinMs;
  for (;;) {
    const file = readPostmasterFile(cluster);
    const isReady = file?.processId === server.processId && file.status === "ready";
    if (isReady && file.address !== undefined) return file.address;
    if (!server.isAlive()) return undefined;
    if (performance.now() > deadline) {
      if (sizeOfLog(logFile) === logSize) throw notReady(logFile, withinMs);
      // It reports its progress every 10 s while it recovers: ending it would only start over.
      logSize = sizeOfLog(logFile);
      deadline = performance.now() + withinMs;
    }
    await delay(POLL_MS);
  }
}

type Attempt = { kind: "ready"; server: LaunchedServer } | { kind: "ended"; output: string };

async function launchAt(input: LaunchInput, address: ServerAddress): Promise<Attempt> {
  const { cluster, owner } = input.location;
  const { descriptor, startsAt } = openServerLog(input.logFile);
  const child = spawn(
    input.binaries.postgres,
    [
      ...["-D", cluster, ...toServerOptions(address)],
      ...["-c", "timezone=UTC", "-c", "log_timezone=UTC"],
      ...(input.forTests ? TEST_OPTIONS : []),
    ],
    {
      cwd: cluster,
      env: {},
      detached: true,
      windowsHide: true,
      stdio: ["ignore", descriptor, descriptor],
      ...owner,
    },
  );
  closeSync(descriptor);
  const failure = new Promise<Error>((resolve) => child.once("error", resolve));
  if (child.pid === undefined) {
    throw new EmbeddedPostgresError(`The database server cannot be run: ${await failure}`);
  }
  child.unref();

  const server = ownServer(child, child.pid);
  try {
    const ready = await waitUntilReady(server, cluster, input.logFile);
    if (ready !== undefined) return { kind: "ready", server: { ...server, child, address: ready } };
  } catch (error) {
    await stopServer(server);
    throw error;
  }
  return { kind: "ended", output: readLogTail(input.logFile, startsAt) };
}

function notReady(logFile: string, withinMs: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database server was not ready after ${withinMs / 1000} s. This machine may be too busy, or its disk too slow: stop other work and try again. The end of its log ${logFile}:\n${readLogTail(logFile, 0)}`,
  );
}

function isFolderBusy(output: string): boolean {
  return /pre-existing shared memory block|is another postm/i.test(output);
}

// Too long a path, a file system without sockets, a port that was taken meanwhile.
function isAddressRefused(output: string): boolean {
  return /could not create any (Unix-domain|TCP\/IP) sockets/.test(output);
}

/** Opens the server's log for appending; one of over 10 MB is kept as `<file>.old`. */
function openServerLog(file: string): { descriptor: number; startsAt: number } {
  if (sizeOfLog(file) > SIZE_LIMIT) {
    rmSync(`${file}.old`, { force: true });
    renameSync(file, `${file}.old`);
  }
  const descriptor = openSync(file, "a", 0o600);
  return { descriptor, startsAt: fstatSync(descriptor).size };
}

/** The log's size in bytes; grows while a server recovers, which shows that it is at work. */
function sizeOfLog(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}

/** The last lines that were written after `startsAt`. */
function readLogTail(file: string, startsAt: number): string {
  const size = sizeOfLog(file);
  const length = Math.max(0, Math.min(TAIL_BYTES, size - startsAt));
  if (length === 0) return "";
  const tail = Buffer.alloc(length);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, tail, 0, length, size - length);
  } finally {
    closeSync(descriptor);
  }
  return tail.toString("utf8").trim().split("\n").slice(-8).join("\n");
}
