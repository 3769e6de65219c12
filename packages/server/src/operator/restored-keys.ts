import { rename, writeFile } from "node:fs/promises";
import type { Config } from "#config";
import { keyFileOf, openMasterKeyRing, readKeyFile } from "#vault";

export interface RestoredKeys {
  /** In base64, the current one first. */
  readonly texts: readonly string[];
  /** Whether the data folder lacks them. */
  readonly isNew: boolean;
}

interface Given {
  readonly config: Config;
  readonly dataDir: string;
  /** Empty when the backup was made without its keys. */
  readonly backedUp: readonly string[];
}

/** Which keys the restored installation will have; throws with the cure when others are in their place. */
export async function planKeys({ config, dataDir, backedUp }: Given): Promise<RestoredKeys> {
  const { encryptionKey: configured, encryptionKeyPrevious: previous } = config;
  const path = keyFileOf(dataDir);
  const kept = await readKeyFile(path);
  if (configured === undefined && kept === undefined) {
    if (backedUp.length > 0) return { texts: backedUp, isNew: true };
    throw new Error(
      `the backup was made without its master key: put the key into ${path} or SVC_ENCRYPTION_KEY first`,
    );
  }
  const ring = await openMasterKeyRing({ configured, previous, dataDir, mayCreate: false });
  const texts = ring.map(({ key }) => key.reveal().toString("base64"));
  const [current] = backedUp;
  if (current === undefined || texts.includes(current)) return { texts, isNew: false };
  throw new Error(
    configured === undefined
      ? `${path} holds another key than the backup: move it away, or set another SVC_DATA_DIR`
      : "SVC_ENCRYPTION_KEY is another key than the backup's: leave it out, and the key of the backup is written into the data folder",
  );
}

/** As a whole or not at all. */
export async function keepKeyFile(dataDir: string, { texts, isNew }: RestoredKeys): Promise<void> {
  if (!isNew) return;
  const path = keyFileOf(dataDir);
  const partial = `${path}.restored`;
  await writeFile(partial, texts.map((text) => `${text}\n`).join(""), { mode: 0o600, flush: true });
  await rename(partial, path);
}
