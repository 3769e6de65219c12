import { randomBytes, randomUUID } from "node:crypto";
import {
  type DataKey,
  decrypt,
  encrypt,
  type Keys,
  type MasterKey,
  MINUTE,
  type RememberedDataKey,
  SECOND,
  Secret,
  type SystemContext,
} from "#foundation";
import { UnknownDataKey } from "./decryption-failure.ts";
import {
  type DataKeyName,
  type DataKeyRow,
  findDataKey,
  findDataKeyById,
  insertDataKey,
  type KeyPurpose,
  listHeldMasterKeys,
  type Wrap,
} from "./store.ts";

const KEY_BYTES = 32;
const KNOWN_FOR_MS = MINUTE;

/** How long a process may continue sealing with a key that was replaced. */
export const CURRENT_FOR_MS: number = SECOND;

export type VaultContext = Pick<SystemContext, "db" | "clock" | "keys"> &
  Partial<Pick<SystemContext, "log">>;

/** The data key in use for an environment (null: the installation), made at first need. */
export async function getDataKey(
  ctx: VaultContext,
  environmentId: string | null,
  purpose: KeyPurpose,
): Promise<DataKey> {
  const name = `${purpose}:${environmentId ?? ""}`;
  const freshMs = purpose === "seal" ? CURRENT_FOR_MS : KNOWN_FOR_MS;
  return await remember(ctx, { name, freshMs }, async () => {
    const wanted = { purpose, masterKeyIds: ringIds(ctx.keys) };
    const known = await findDataKey(ctx.db, environmentId, wanted);
    if (known !== undefined) return openDataKey(ctx.keys, known);
    const id = randomUUID();
    const wraps = await wrapForAll(ctx, { id, purpose }, randomBytes(KEY_BYTES));
    const createdAt = ctx.clock.now();
    await insertDataKey(ctx.db, { id, environmentId, purpose, createdAt, wraps });
    const added = await findDataKey(ctx.db, environmentId, wanted);
    if (added === undefined) throw new Error(`the ${purpose} key was not stored`);
    return openDataKey(ctx.keys, added);
  });
}

/** The data key that a ciphertext names. */
export async function getDataKeyById(ctx: VaultContext, id: string): Promise<DataKey> {
  return await remember(ctx, { name: id, freshMs: KNOWN_FOR_MS }, async () => {
    const row = await findDataKeyById(ctx.db, { id, masterKeyIds: ringIds(ctx.keys) });
    if (row === undefined) throw new UnknownDataKey(id);
    return openDataKey(ctx.keys, row);
  });
}

export function ringIds(keys: Keys): string[] {
  return keys.ring.map(({ id }) => id);
}

/** The key that wraps what is new. */
export function currentMasterKey(keys: Keys): MasterKey {
  const [current] = keys.ring;
  if (current === undefined) throw new Error("the master key ring is empty");
  return current;
}

function openDataKey(keys: Keys, row: DataKeyRow): DataKey {
  if (row.wrap === undefined) throw new Error(`no master key of the ring opens data key ${row.id}`);
  return { id: row.id, key: new Secret(unwrap(keys, row, row.wrap)) };
}

/** Opens a wrapped key; throws when the master key is not in the ring or does not fit. */
export function unwrap(keys: Keys, name: Pick<DataKeyName, "id" | "purpose">, wrap: Wrap): Buffer {
  const master = keys.ring.find(({ id }) => id === wrap.masterKeyId);
  if (master === undefined) throw new Error(`no master key ${wrap.masterKeyId} in the ring`);
  return decrypt(master.key.reveal(), wrapAad(name), wrap.wrapped);
}

/** The data key under the current master key and those that other processes still work with. */
export async function wrapForAll(
  { db, keys }: Pick<VaultContext, "db" | "keys">,
  name: Pick<DataKeyName, "id" | "purpose">,
  key: Buffer,
): Promise<Wrap[]> {
  const held = await listHeldMasterKeys(db);
  const masters = keys.ring.filter(({ id }, index) => index === 0 || held.includes(id));
  return wrapDataKey(masters, name, key);
}

/** The data key under each of the master keys. */
export function wrapDataKey(
  masters: readonly MasterKey[],
  name: Pick<DataKeyName, "id" | "purpose">,
  key: Buffer,
): Wrap[] {
  return masters.map((master) => ({
    masterKeyId: master.id,
    wrapped: encrypt(master.key.reveal(), wrapAad(name), key),
  }));
}

function wrapAad({ id, purpose }: Pick<DataKeyName, "id" | "purpose">): string {
  return `wrapped_data_keys.wrapped/${purpose}/${id}`;
}

/** In a transaction a key may be new, and gone after a rollback: there only known ones are remembered. */
async function remember(
  { db, keys }: VaultContext,
  { name, freshMs }: { name: string; freshMs: number },
  read: () => Promise<DataKey>,
): Promise<DataKey> {
  const known = keys.dataKeys.get(name);
  const readAtMs = performance.now();
  if (known !== undefined && readAtMs - known.readAtMs < freshMs) return await known.key;
  if (known === undefined && db.isTransaction) return await read();
  const reading = read();
  const remembered: RememberedDataKey = { key: reading, readAtMs };
  keys.dataKeys.set(name, remembered);
  try {
    return await reading;
  } catch (error) {
    const isGone = known === undefined || error instanceof UnknownDataKey;
    if (keys.dataKeys.get(name) === remembered) {
      if (isGone) keys.dataKeys.delete(name);
      else keys.dataKeys.set(name, { ...known, readAtMs });
    }
    // A token that was just issued must be sealed also while the database is away.
    if (isGone) throw error;
    return await known.key;
  }
}
