import { statSync } from "node:fs";
import type { Binaries } from "../binaries.ts";
import type { ClusterLocation } from "../cluster/cluster-location.ts";
import { DataFolderInUseError, EmbeddedPostgresError } from "../errors.ts";
import { filterServersOf, listProcessIds } from "./linux-process.ts";
import {
  type PostmasterFile,
  readLastProgram,
  readPostmasterFile,
  removePostmasterFile,
} from "./postmaster-file.ts";
import { foreignServer, type ServerProcess, sendSignal, waitUntil } from "./running-server.ts";
import { isListening, removeSocket } from "./server-address.ts";

/** Finds a server of this cluster that outlived the process that started it. */
export async function findServer(location: ClusterLocation): Promise<ServerProcess | undefined> {
  const file = readPostmasterFile(location.cluster);
  if (file === undefined) return undefined;
  return (await isServerOf(file, location)) ? foreignServer(file.processId) : undefined;
}

/** Whether a found server still runs the program that a new start would run. */
export function runsProgram(binaries: Binaries, cluster: string): boolean {
  const startedAt = readPostmasterFile(cluster)?.startedAt ?? 0;
  const program = statSync(binaries.postgres);
  // An update may have put another version at the same path; the start is noted in whole seconds.
  return readLastProgram(cluster) === binaries.postgres && program.ctimeMs < (startedAt + 1) * 1000;
}

/** Clears what a dead server left: busy sessions, its socket, its `postmaster.pid`. */
export async function clearDeadServer(location: ClusterLocation): Promise<void> {
  const { cluster } = location;
  if (process.platform === "linux") await endLeftovers(location);
  const address = readPostmasterFile(cluster)?.address;
  if (address?.kind === "socket" && (await isListening(address))) {
    throw new DataFolderInUseError(
      `A PostgreSQL server that cannot be seen from here (another container?) still serves ${cluster}: stop it first.`,
    );
  }
  removeSocket(address);
  removePostmasterFile(cluster);
}

// The id in the file may by now be a zombie, or another process after a restart of a container.
async function isServerOf(file: PostmasterFile, location: ClusterLocation): Promise<boolean> {
  if (process.platform === "linux") {
    return filterServersOf(location.cluster, location.owner, [file.processId]).length > 0;
  }
  return (
    sendSignal(file.processId, 0) && file.address !== undefined && (await isListening(file.address))
  );
}

// Sessions that were busy when their postmaster was killed run on and hold its shared memory.
async function endLeftovers({ cluster, owner }: ClusterLocation): Promise<void> {
  const findLeftovers = (): number[] => filterServersOf(cluster, owner, listProcessIds());
  const ended = await waitUntil(() => {
    const leftovers = findLeftovers();
    for (const processId of leftovers) sendSignal(processId, "SIGKILL");
    return leftovers.length === 0;
  }, 10_000);
  if (ended) return;
  throw new EmbeddedPostgresError(
    `Processes ${findLeftovers().join(", ")} of a dead database server still use ${cluster} and cannot be ended: end them by hand.`,
  );
}
