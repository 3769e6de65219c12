import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "#config";
import { SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import { allOf } from "#slice";
import {
  changeMasterKey,
  isMasterKeyChanged,
  isReplacingDataKeys,
  keyFileOf,
  lockMasterKeys,
  type MasterKeyCounts,
  openMasterKeyRing,
  type Progress,
  prependNewKey,
  type ReplacingReport,
  replaceDataKeys,
} from "#vault";
import { slices } from "../app.ts";
import { type OpenVault, openVault } from "./open-vault.ts";

export interface RotationRequest {
  /** Puts a new master key into the key file first, unless a rotation is still under way. */
  readonly newKey: boolean;
  /** Also replaces the data keys and seals everything again. */
  readonly dataKeys: boolean;
  readonly tell?: (progress: Progress) => void;
  /** Called before a pause, with how many environments and models are left whose servers do not answer. */
  readonly wait?: (left: number) => void;
}

export interface RotationReport {
  readonly masterKeyId: string;
  readonly newKeyMade: boolean;
  readonly master: MasterKeyCounts;
  /** Undefined unless asked for. */
  readonly dataKeys: ReplacingReport | undefined;
}

// Processes look at the key file each second.
const PATIENCE_MS = 15 * SECOND;
const LOOK_EVERY_MS = 100;

/**
 * Wraps every data key by the current master key while the server runs or is stopped. Safe to cut
 * off at any point: the next call continues.
 */
export async function rotateVault(
  config: Config,
  { newKey, dataKeys, tell, wait }: RotationRequest,
): Promise<RotationReport> {
  await using vault = await openVault(config);
  const newKeyMade = newKey && (await makeNewKey(vault, { dataKeys }));
  const changed = await changeAndWait(vault, newKeyMade);
  const replaced = dataKeys
    ? await replaceDataKeys(vault, allOf(slices, "sealedColumns"), { tell, wait })
    : undefined;
  return {
    masterKeyId: vault.keys.ring[0]?.id ?? "",
    newKeyMade,
    master: replaced === undefined ? changed : await changeMasterKey(vault),
    dataKeys: replaced,
  };
}

/** One at a time; where an earlier call was cut off, its new key is the one to continue with. */
async function makeNewKey(vault: OpenVault, { dataKeys }: { dataKeys: boolean }): Promise<boolean> {
  const { source, keys, db } = vault;
  if (source.configured !== undefined) {
    throw new Error(
      "the key comes from SVC_ENCRYPTION_KEY: make a new one (openssl rand -base64 32), set it there, and name the old one in SVC_ENCRYPTION_KEY_PREVIOUS",
    );
  }
  return await withTransaction({ db }, async ({ db: locked }) => {
    await lockMasterKeys(locked);
    keys.ring = await openMasterKeyRing({ ...source, mayCreate: false });
    if (!(await isMasterKeyChanged({ ...vault, db: locked }))) return false;
    if (dataKeys && (await isReplacingDataKeys(locked))) return false;
    await prependNewKey(keyFileOf(source.dataDir));
    keys.ring = await openMasterKeyRing({ ...source, mayCreate: false });
    return true;
  });
}

/** Serving processes that read the key file follow by themselves; others have to be started again. */
async function changeAndWait(vault: OpenVault, isNew: boolean): Promise<MasterKeyCounts> {
  const deadline = performance.now() + (isNew ? PATIENCE_MS : 0);
  for (;;) {
    const counts = await changeMasterKey(vault);
    if (counts.underOthers === 0 && counts.otherHolders === 0) return counts;
    if (performance.now() >= deadline) return counts;
    await sleep(LOOK_EVERY_MS);
  }
}
