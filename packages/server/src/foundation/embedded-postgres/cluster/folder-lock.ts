import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DataFolderInUseError, EmbeddedPostgresError, errorCode } from "../errors.ts";

const LOCK_FILE = "database.lock";
const HOLDER_FILE = "database.lock.holder";
const SQLITE_BUSY = 5;

/** A lock on a folder; the system itself drops it when the process ends, however it ends. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks `folder` for this process or throws `DataFolderInUseError` within half a second.
 * `dataDir` is the folder that the message names.
 */
export function lockFolder(folder: string, dataDir: string): FolderLock {
  // Node has no file locks of its own; an SQLite write transaction is one on every system: atomic,
  // gone with its process after kill -9, and valid across pid namespaces. No id can go stale.
  // NOTE: POSIX drops the lock when this process closes any other handle of the file: never read it.
  const database = openLockFile(join(folder, LOCK_FILE), dataDir);
  const holderFile = join(folder, HOLDER_FILE);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw lockFailure(dataDir, error);
    throw new DataFolderInUseError(
      `The data folder ${dataDir} is in use by ${describeHolder(holderFile)}: stop that process, or choose another folder with SVC_DATA_DIR.`,
    );
  }
  writeFileSync(holderFile, JSON.stringify({ processId: process.pid, host: hostname() }));

  return {
    release() {
      if (!database.isOpen) return;
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function openLockFile(file: string, dataDir: string): DatabaseSync {
  try {
    // Two takers that meet may both see "busy" at first: 100 ms of retries lets one of them win.
    const database = new DatabaseSync(file, { timeout: 100 });
    chmodSync(file, 0o600); // anyone who can read it could hold it
    return database;
  } catch (error) {
    throw lockFailure(dataDir, error);
  }
}

function lockFailure(dataDir: string, cause: unknown): EmbeddedPostgresError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EmbeddedPostgresError(
    `The data folder ${dataDir} cannot be locked (${reason}): it must be writable by this user and on a file system with file locks.`,
    { cause },
  );
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}

function describeHolder(holderFile: string): string {
  try {
    const holder: unknown = JSON.parse(readFileSync(holderFile, "utf8"));
    if (typeof holder !== "object" || holder === null) return "another process";
    if (!("processId" in holder) || !("host" in holder)) return "another process";
    const elsewhere = holder.host === hostname() ? "" : ` on host ${holder.host}`;
    return `process ${holder.processId}${elsewhere}`;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) !== undefined) return "another process";
    throw error;
  }
}
