import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";

const FILE_NAME = "encryption.key";

/** Where the key file of a data folder is: one key a line in base64, the current one first. */
export function keyFileOf(dataDir: string): string {
  return join(dataDir, FILE_NAME);
}

/** The keys of the file, still as text; undefined when there is no file. */
export async function readKeyFile(path: string): Promise<string[] | undefined> {
  try {
    const lines = (await readFile(path, "utf8")).split("\n").map((line) => line.trim());
    return lines.filter((line) => line !== "");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Makes the file with a first key, readable by its owner alone; leaves one that is there as it is. */
export async function createKeyFile(path: string): Promise<void> {
  try {
    await writeDurably(path, [newKey()], constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    return;
  }
  await syncFolderOf(path);
}

/**
 * Puts a new key before those of the file. The file is replaced as a whole and is on disk when this
 * resolves, so that nothing is ever wrapped by a key that a power cut could lose.
 */
export async function prependNewKey(path: string): Promise<void> {
  const keys = await readKeyFile(path);
  if (keys === undefined) throw new Error(`there is no key file ${path}`);
  const unfinished = `${path}.new`;
  const { uid, gid } = await stat(path);
  await writeDurably(
    unfinished,
    [newKey(), ...keys],
    constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY,
    { uid, gid },
  );
  await rename(unfinished, path);
  await syncFolderOf(path);
}

function newKey(): string {
  return randomBytes(32).toString("base64");
}

async function writeDurably(
  path: string,
  keys: readonly string[],
  flags: number,
  owner?: { uid: number; gid: number },
): Promise<void> {
  await using file = await open(path, flags, 0o600);
  await file.chmod(0o600);
  // Rotated by root, the file still belongs to the user that the server runs as.
  if (owner !== undefined && owner.uid !== process.getuid?.()) {
    await file.chown(owner.uid, owner.gid);
  }
  await file.writeFile(keys.map((key) => `${key}\n`).join(""));
  await file.sync();
}

/** A new name is on disk only when its folder is. */
async function syncFolderOf(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await using folder = await open(join(path, ".."), constants.O_RDONLY);
  await folder.sync();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
