import { randomBytes, randomUUID } from "node:crypto";
import {
  type DataKey,
  decrypt,
  encrypt,
  type InstallationContext,
  type Keys,
  type MasterKey,
  Secret,
} from "#platform";
import { findDataKey, findDataKeyById, insertDataKey, type KeyPurpose } from "./store.ts";

const KEY_BYTES = 32;

type VaultContext = Pick<InstallationContext, "db" | "clock" | "keys">;

/** The data key of an environment (null: of the installation), made at first need. */
export async function getDataKey(
  ctx: VaultContext,
  environmentId: string | null,
  purpose: KeyPurpose,
): Promise<DataKey> {
  return await remember(ctx, `${purpose}:${environmentId ?? ""}`, async () => {
    const known = await findDataKey(ctx.db, environmentId, purpose);
    if (known !== undefined) return unwrap(ctx.keys, known);
    await addDataKey(ctx, environmentId, purpose);
    const added = await findDataKey(ctx.db, environmentId, purpose);
    if (added === undefined) throw new Error(`the ${purpose} key was not stored`);
    return unwrap(ctx.keys, added);
  });
}

/** The data key that a ciphertext names. */
export async function getDataKeyById(ctx: VaultContext, id: string): Promise<DataKey> {
  return await remember(ctx, id, async () => {
    const row = await findDataKeyById(ctx.db, id);
    if (row === undefined) throw new Error(`data key ${id} does not exist`);
    return unwrap(ctx.keys, row);
  });
}

async function addDataKey(
  ctx: VaultContext,
  environmentId: string | null,
  purpose: KeyPurpose,
): Promise<void> {
  const id = randomUUID();
  const master = currentMasterKey(ctx.keys);
  const wrapped = encrypt(master.key.reveal(), wrapPlace(id, purpose), randomBytes(KEY_BYTES));
  const createdAt = ctx.clock.now();
  const row = { id, environmentId, purpose, masterKeyId: master.id, wrapped, createdAt };
  await insertDataKey(ctx.db, row);
}

export interface WrappedDataKey {
  readonly id: string;
  readonly purpose: KeyPurpose;
  readonly masterKeyId: string;
  readonly wrapped: Buffer;
}

/** Opens a wrapped key; throws when no master key of the ring fits. */
export function unwrap(keys: Keys, row: WrappedDataKey): DataKey {
  const master = keys.ring.find((candidate) => candidate.id === row.masterKeyId);
  if (master === undefined) throw new Error(`no master key ${row.masterKeyId} in the ring`);
  const key = decrypt(master.key.reveal(), wrapPlace(row.id, row.purpose), row.wrapped);
  return { id: row.id, key: new Secret(key) };
}

function wrapPlace(id: string, purpose: KeyPurpose): string {
  return `data_keys.wrapped/${purpose}/${id}`;
}

function currentMasterKey(keys: Keys): MasterKey {
  const [current] = keys.ring;
  if (current === undefined) throw new Error("the master key ring is empty");
  return current;
}

/** Within a transaction nothing is remembered: the key may be new there, and gone after a rollback. */
async function remember(
  { db, keys }: VaultContext,
  name: string,
  load: () => Promise<DataKey>,
): Promise<DataKey> {
  const known = keys.dataKeys.get(name);
  if (known !== undefined) return await known;
  if (db.isTransaction) return await load();
  const loading = load();
  keys.dataKeys.set(name, loading);
  try {
    return await loading;
  } catch (error) {
    keys.dataKeys.delete(name);
    throw error;
  }
}
