import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type MasterKey, masterKeyId, Secret } from "#platform";

const FILE_NAME = "encryption.key";

/**
 * The master key: the configured one, else that of `<dataDir>/encryption.key`.
 * The file is made (mode 0600) only when `mayCreate`, that is, when nothing is encrypted yet.
 */
export async function openMasterKeyRing(options: {
  configured: Secret<string> | undefined;
  dataDir: string;
  mayCreate: boolean;
}): Promise<readonly MasterKey[]> {
  const text =
    options.configured?.reveal() ?? (await readKeyFile(join(options.dataDir, FILE_NAME), options));
  const key = Buffer.from(text, "base64");
  if (key.byteLength !== 32) throw new Error(`${FILE_NAME} does not hold 32 bytes in base64`);
  return [{ id: masterKeyId(key), key: new Secret(key) }];
}

async function readKeyFile(path: string, { mayCreate }: { mayCreate: boolean }): Promise<string> {
  if (mayCreate) await createKeyFile(path);
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new Error(
      `the database is encrypted, and its key is neither in ${path} nor in SVC_ENCRYPTION_KEY`,
      { cause },
    );
  }
}

async function createKeyFile(path: string): Promise<void> {
  try {
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    await file.writeFile(`${randomBytes(32).toString("base64")}\n`);
    await file.sync();
    await file.close();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
