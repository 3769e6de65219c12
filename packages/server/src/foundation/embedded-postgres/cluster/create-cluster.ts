import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Binaries } from "../binaries.ts";
import { EmbeddedPostgresError, errorCode } from "../errors.ts";
import type { ClusterLocation } from "./cluster-location.ts";
import { giveTo } from "./database-owner.ts";
import { writeWholeFile } from "./write-whole-file.ts";

const PASSWORD_FILE = "postgres-password";
const UNFINISHED_PREFIX = "postgres-new-";

/** Reads the superuser's password of `dataDir`, or makes one for a cluster that is yet to come. */
export function readOrCreatePassword(dataDir: string, location: ClusterLocation): string {
  const file = join(dataDir, PASSWORD_FILE);
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (kept !== "") return kept;
  if (existsSync(location.cluster)) {
    throw new EmbeddedPostgresError(
      `The password file ${file} of the database in ${location.cluster} is missing or empty: restore it from a backup.`,
    );
  }
  const password = randomBytes(24).toString("base64url");
  writeWholeFile(file, `${password}\n`, 0o600);
  return password;
}

/** Makes the cluster; interrupted at any point, the next call starts over. */
export async function createCluster(
  location: ClusterLocation,
  binaries: Binaries,
  options: { password: string; durable: boolean },
): Promise<void> {
  removeUnfinished(location.home);
  const unfinished = mkdtempSync(join(location.home, UNFINISHED_PREFIX));
  giveTo(location.owner, unfinished);
  const passwordFile = join(unfinished, "password");
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  giveTo(location.owner, passwordFile);

  const data = join(unfinished, "data");
  try {
    await runInitdb(binaries, location, unfinished, [
      ...["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`],
      ...["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
      ...(options.durable ? [] : ["--no-sync"]),
    ]);
    renameSync(data, location.cluster);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Refuses a cluster of another major version, which this server cannot read. */
export function requireVersion(cluster: string, binaries: Binaries): void {
  const version = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (version === String(binaries.majorVersion)) return;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was made by PostgreSQL ${version}, but this version of Jackfield brings PostgreSQL ${binaries.majorVersion}: use the Jackfield version that made it to move the data, or set SVC_DATABASE_URL to a server of your own.`,
  );
}

// An initdb that outlived its killed parent may still write there: then a later start cleans up.
function removeUnfinished(home: string): void {
  for (const name of readdirSync(home)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue;
    try {
      rmSync(join(home, name), { recursive: true, force: true, maxRetries: 2 });
    } catch (error) {
      if (errorCode(error) !== "ENOTEMPTY") throw error;
    }
  }
}

async function runInitdb(
  binaries: Binaries,
  location: ClusterLocation,
  cwd: string,
  args: string[],
): Promise<void> {
  try {
    await promisify(execFile)(binaries.initdb, args, { cwd, env: {}, ...location.owner });
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The database in ${location.home} could not be created: ${describeFailure(cause, binaries)}`,
      { cause },
    );
  }
}

function describeFailure(cause: unknown, binaries: Binaries): string {
  if (errorCode(cause) === "ENOENT" && existsSync(binaries.initdb)) {
    return "its programs need glibc, which this system lacks (Alpine Linux?). Set SVC_DATABASE_URL to a PostgreSQL server of your own.";
  }
  if (cause instanceof Error && "stderr" in cause && typeof cause.stderr === "string") {
    if (cause.stderr.includes("could not look up effective user ID")) {
      return "this user's id has no name on this system. Add it to /etc/passwd, or set SVC_DATABASE_URL to a PostgreSQL server of your own.";
    }
    const lines = cause.stderr.trim().split("\n").slice(-3).join(" ");
    if (lines !== "") return lines;
  }
  return cause instanceof Error ? cause.message : String(cause);
}
