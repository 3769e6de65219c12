import { chownSync, lchownSync, readdirSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { EmbeddedPostgresError } from "../errors.ts";

/** The user that the database runs as when Jackfield itself runs as root. */
export interface DatabaseOwner {
  uid: number;
  gid: number;
}

/** `nobody` exists on every system, also where no user can be made; initdb needs a named user. */
export const NOBODY: DatabaseOwner = { uid: 65534, gid: 65534 };

/** Whether this process must run the database as another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user for an existing cluster: `undefined` is this user; throws when it is someone else's. */
export function ownerOfCluster(cluster: string): DatabaseOwner | undefined {
  const { uid, gid } = statSync(cluster);
  if (isRoot()) {
    if (uid !== 0) return { uid, gid };
    chownTree(cluster, NOBODY); // restored or copied by root
    return NOBODY;
  }
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} belongs to user id ${uid}, not to this user (${process.getuid()}): start as that user or as root, or choose another folder with SVC_DATA_DIR.`,
    );
  }
  return undefined;
}

/** Gives a single file or folder to `owner`; nothing to do when that is this user. */
export function giveTo(owner: DatabaseOwner | undefined, path: string): void {
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
}

/** Whether `owner` may enter `folder` and every folder above it. */
export function canEnter(owner: DatabaseOwner | undefined, folder: string): boolean {
  if (owner === undefined) return true;
  if (!mayEnter(owner, statSync(folder))) return false;
  const parent = dirname(folder);
  return parent === folder || canEnter(owner, parent);
}

function mayEnter(owner: DatabaseOwner, stats: Stats): boolean {
  if (stats.uid === owner.uid) return (stats.mode & 0o100) !== 0;
  if (stats.gid === owner.gid) return (stats.mode & 0o010) !== 0;
  return (stats.mode & 0o001) !== 0;
}

function chownTree(root: string, owner: DatabaseOwner): void {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(root, name), owner.uid, owner.gid);
  }
  lchownSync(root, owner.uid, owner.gid);
}
