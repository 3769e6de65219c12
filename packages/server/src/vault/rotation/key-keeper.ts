import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Keys, type Logger, type MasterKey, reasonOf, SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import { currentMasterKey, ringIds, type VaultContext } from "../data-key.ts";
import { verifyMasterKey } from "../verify-master-key.ts";
import { changeMasterKey } from "./change-master-key.ts";
import { deleteHolder, lockMasterKeys, saveHolder } from "./store.ts";

const LOOK_EVERY_MS = SECOND;
// Well below the silence after which a process counts as ended.
const BEAT_EVERY_MS = 8 * SECOND;

export interface KeyKeeperOptions {
  readonly ctx: VaultContext & { readonly keys: Keys; readonly log: Logger };
  /** Reads the ring again; undefined where it cannot change while the process runs. */
  readonly readRing: (() => Promise<readonly MasterKey[]>) | undefined;
}

/**
 * Tells the others which master key this process wraps with, takes up a new key file, and wraps data keys
 * by the current master key. Throws when the ring does not open the database.
 */
export async function startKeyKeeper(options: KeyKeeperOptions): Promise<AsyncDisposable> {
  const { ctx } = options;
  const processId = randomUUID();
  await announce(ctx, processId);
  // Only now can no rotation finish without this process; one may have finished a moment before.
  const problem = await verifyMasterKey(ctx);
  if (problem !== undefined) throw new Error(problem);
  const stopping = new AbortController();
  const running = keepUp(options, processId, stopping.signal);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
      await deleteHolder(ctx.db, processId).catch(() => undefined);
    },
  };
}

async function announce(ctx: VaultContext, processId: string): Promise<void> {
  const masterKeyId = currentMasterKey(ctx.keys).id;
  await withTransaction(ctx, async ({ db }) => {
    await lockMasterKeys(db);
    await saveHolder(db, { processId, masterKeyId });
  });
}

async function keepUp(
  { ctx, readRing }: KeyKeeperOptions,
  processId: string,
  signal: AbortSignal,
): Promise<void> {
  let beatAtMs = -Infinity;
  let lastProblem: string | undefined;
  while (!signal.aborted) {
    try {
      const isNew = readRing !== undefined && (await takeUp(ctx, await readRing()));
      if (isNew || performance.now() - beatAtMs >= BEAT_EVERY_MS) {
        beatAtMs = performance.now();
        await announce(ctx, processId);
        await changeMasterKey(ctx);
      }
      lastProblem = undefined;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== lastProblem) ctx.log.warn("vault.keys_not_updated", { reason });
      lastProblem = reason;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** Puts another ring in place; one that does not open the database is refused, and the old one stays. */
async function takeUp(ctx: KeyKeeperOptions["ctx"], ring: readonly MasterKey[]): Promise<boolean> {
  const known = ringIds(ctx.keys);
  if (ring.length === known.length && ring.every(({ id }, n) => id === known[n])) return false;
  const problem = await verifyMasterKey({ db: ctx.db, keys: { ...ctx.keys, ring } });
  if (problem !== undefined) throw new Error(problem);
  ctx.keys.ring = ring;
  ctx.log.info("vault.master_key_changed", { current: ring[0]?.id, others: ring.length - 1 });
  return true;
}
