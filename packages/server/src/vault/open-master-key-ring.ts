import { type MasterKey, masterKeyId, Secret } from "#foundation";
import { createKeyFile, keyFileOf, readKeyFile } from "./key-file.ts";

export interface MasterKeySource {
  /** SVC_ENCRYPTION_KEY; undefined: the key file of the data folder. */
  readonly configured: Secret<string> | undefined;
  /** SVC_ENCRYPTION_KEY_PREVIOUS. */
  readonly previous: readonly Secret<string>[];
  readonly dataDir: string;
}

/**
 * The master keys, the current one first: the configured one or those of `<dataDir>/encryption.key`,
 * then the previous ones. The file is made only when `mayCreate`, that is, when nothing is encrypted yet.
 */
export async function openMasterKeyRing(
  source: MasterKeySource & { readonly mayCreate: boolean },
): Promise<readonly MasterKey[]> {
  const { configured, previous, dataDir } = source;
  const path = keyFileOf(dataDir);
  if (configured === undefined && source.mayCreate) await createKeyFile(path);
  const current = configured === undefined ? await readKeyFile(path) : [configured.reveal()];
  if (current === undefined || current.length === 0) {
    throw new Error(
      `the database is encrypted, and its key is neither in ${path} nor in SVC_ENCRYPTION_KEY`,
    );
  }
  const texts = [...current, ...previous.map((key) => key.reveal())];
  const ring = texts.map((text) => toMasterKey(text, path));
  return ring.filter(({ id }, index) => ring.findIndex((key) => key.id === id) === index);
}

function toMasterKey(text: string, path: string): MasterKey {
  const key = Buffer.from(text, "base64");
  if (key.byteLength !== 32) throw new Error(`a line of ${path} is not 32 bytes in base64`);
  return { id: masterKeyId(key), key: new Secret(key) };
}
