import { type Keys, messageOf } from "#foundation";
import type { Db } from "#foundation/db";
import { ringIds, unwrap } from "./data-key.ts";
import { listMissingMasterKeys, listSampleWraps } from "./store.ts";

/** Why the ring does not fit this database; undefined when it does, or when nothing is encrypted yet. */
export async function verifyMasterKey({
  db,
  keys,
}: {
  db: Db;
  keys: Keys;
}): Promise<string | undefined> {
  const known = ringIds(keys);
  const missing = await listMissingMasterKeys(db, known);
  if (missing.length > 0) {
    return (
      `the encryption key does not open this database: it is encrypted with key ${missing.join(", ")}, and given is ${known.join(", ")}; ` +
      "set SVC_ENCRYPTION_KEY to the right key, or name an older one in SVC_ENCRYPTION_KEY_PREVIOUS"
    );
  }
  const own = (await listSampleWraps(db)).filter(({ masterKeyId }) => known.includes(masterKeyId));
  for (const sample of own) {
    try {
      unwrap(keys, sample, sample);
    } catch (error) {
      return `the encryption key does not open this database (${messageOf(error)})`;
    }
  }
  return undefined;
}
