import type { Keys } from "#foundation";
import { withTransaction } from "#foundation/db";
import { currentMasterKey, ringIds, unwrap, type VaultContext, wrapDataKey } from "../data-key.ts";
import {
  countMasterKeyUse,
  deleteOtherWraps,
  findRunningRotation,
  insertWraps,
  listUnwrapped,
  lockMasterKeys,
  type MasterKeyCounts,
} from "./store.ts";

const PAGE = 500;

/**
 * Wraps every data key by the current master key. The wraps by older ones go as soon as no process that
 * serves depends on them: until then both stand side by side, and all can open everything.
 */
export async function changeMasterKey(ctx: VaultContext): Promise<MasterKeyCounts> {
  const { id: masterKeyId } = currentMasterKey(ctx.keys);
  while ((await wrapPage(ctx)) === PAGE);
  await withTransaction(ctx, async ({ db }) => {
    await lockMasterKeys(db);
    await deleteOtherWraps(db, masterKeyId);
  });
  return await countMasterKeyUse(ctx.db, masterKeyId);
}

async function wrapPage({ db, keys }: VaultContext): Promise<number> {
  const current = currentMasterKey(keys);
  const wanted = { masterKeyId: current.id, ringIds: ringIds(keys), limit: PAGE };
  const missing = await listUnwrapped(db, wanted);
  const wraps = missing.flatMap((known) =>
    wrapDataKey([current], known, unwrap(keys, known, known)).map((wrap) => ({
      ...wrap,
      dataKeyId: known.id,
    })),
  );
  if (wraps.length > 0) await insertWraps(db, wraps);
  return missing.length;
}

/** By how many keys data is encrypted, and who opens them. */
export async function describeKeyRing(
  ctx: VaultContext,
): Promise<MasterKeyCounts & { readonly isRotating: boolean }> {
  const counts = await countMasterKeyUse(ctx.db, currentMasterKey(ctx.keys).id);
  return { ...counts, isRotating: (await findRunningRotation(ctx.db)) !== undefined };
}

/** Whether the current master key wraps every data key, and no other does. */
export async function isMasterKeyChanged(ctx: VaultContext & { keys: Keys }): Promise<boolean> {
  const { id } = currentMasterKey(ctx.keys);
  const missing = await listUnwrapped(ctx.db, {
    masterKeyId: id,
    ringIds: ringIds(ctx.keys),
    limit: 1,
  });
  return missing.length === 0 && (await countMasterKeyUse(ctx.db, id)).underOthers === 0;
}
