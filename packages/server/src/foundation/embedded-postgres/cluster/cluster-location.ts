import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgresError } from "../errors.ts";
import { canEnter, type DatabaseOwner, isRoot, NOBODY, ownerOfCluster } from "./database-owner.ts";
import { writeWholeFile } from "./write-whole-file.ts";

const OUTSIDE_ROOT = "/var/lib/jackfield";
const POINTER_FILE = "postgres-location";

/** Where the database of a data folder lives, and the user that runs it. */
export interface ClusterLocation {
  /** The folder that holds cluster, socket and, where needed, a copy of the binaries. */
  home: string;
  cluster: string;
  /** `undefined`: this process's own user. */
  owner: DatabaseOwner | undefined;
  /** The database user cannot reach the data folder, so `home` is elsewhere. */
  outside: boolean;
}

/** Finds the cluster of `dataDir` (an existing real path) or decides where a new one goes. */
export function locateCluster(dataDir: string): ClusterLocation {
  const pointed = readPointer(dataDir);
  if (pointed !== undefined) return locateExisting(pointed, true);
  if (existsSync(join(dataDir, "postgres"))) return locateExisting(dataDir, false);

  const owner = isRoot() ? NOBODY : undefined;
  if (canEnter(owner, dataDir)) return locationIn(dataDir, owner, false);

  const hash = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const home = join(OUTSIDE_ROOT, hash);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  requireEntry(owner, home);
  return locationIn(home, owner, true);
}

/** Notes in the data folder where its cluster is, once that cluster is complete. */
export function writePointer(dataDir: string, location: ClusterLocation): void {
  if (location.outside) writeWholeFile(join(dataDir, POINTER_FILE), `${location.home}\n`, 0o644);
}

/** Moves away a cluster that no data folder points at: its data folder was deleted. */
export function setOrphanAside(dataDir: string, location: ClusterLocation): string | undefined {
  if (!location.outside || readPointer(dataDir) !== undefined) return undefined;
  if (!existsSync(location.cluster)) return undefined;
  const aside = `${location.cluster}-orphan-${Date.now()}`;
  renameSync(location.cluster, aside);
  return aside;
}

/** Where a copy of the binaries goes; clusters outside their data folders share one. */
export function folderForBinaries(location: ClusterLocation): string {
  return location.outside ? OUTSIDE_ROOT : location.home;
}

function readPointer(dataDir: string): string | undefined {
  const file = join(dataDir, POINTER_FILE);
  if (!existsSync(file)) return undefined;
  const home = readFileSync(file, "utf8").trim();
  if (existsSync(join(home, "postgres", "PG_VERSION"))) return home;
  throw new EmbeddedPostgresError(
    `The database of ${dataDir} should be in ${home}, but it is not there: bring that folder back, or delete ${file} to begin with an empty database.`,
  );
}

function locateExisting(home: string, outside: boolean): ClusterLocation {
  const owner = ownerOfCluster(join(home, "postgres"));
  requireEntry(owner, home);
  return locationIn(home, owner, outside);
}

function requireEntry(owner: DatabaseOwner | undefined, home: string): void {
  if (canEnter(owner, home)) return;
  throw new EmbeddedPostgresError(
    `The database runs as user id ${owner?.uid}, which cannot enter ${home}: give other users the right to pass through it and the folders above it (chmod o+x), or choose another folder with SVC_DATA_DIR.`,
  );
}

function locationIn(
  home: string,
  owner: DatabaseOwner | undefined,
  outside: boolean,
): ClusterLocation {
  return { home, cluster: join(home, "postgres"), owner, outside };
}
