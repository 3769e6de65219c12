import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND, ServerStates } from "#foundation";
import { type Db, isPreparedSchema, withTransaction } from "#foundation/db";
import { CURRENT_FOR_MS, type VaultContext, wrapForAll } from "../data-key.ts";
import { toKeyBytes } from "../seal.ts";
import type { SealedColumn } from "../sealed-column.ts";
import { nameOf, type ResealedPage } from "./reseal-page.ts";
import {
  deleteReplacedKeys,
  findRunningRotation,
  finishRotation,
  insertRotation,
  listReplacedKeys,
  lockMasterKeys,
  lockSealKeys,
  type Progress,
  type Rotation,
  replaceDataKey,
  saveProgress,
} from "./store.ts";
import { type ColumnSweep, type SweepBounds, sweepBounds, sweepColumn } from "./sweep-column.ts";

const KEY_BYTES = 32;
// By then every process has asked again which key is in use; the second half is for a write on its way.
const SETTLED_AFTER_MS = 2 * CURRENT_FOR_MS;

/** Before servers of a cluster that did not answer are asked again. */
const RETRY_AFTER_MS = 15 * SECOND;

export interface ReplacingReport {
  /** Continued where an earlier call was cut off. */
  readonly resumed: boolean;
  /** Rows sealed again, by `table.column`. */
  readonly resealed: Readonly<Record<string, number>>;
  /** Rows that do not open, by `table.column`; they are left as they are. */
  readonly failed: Readonly<Record<string, number>>;
}

export interface ReplacingOptions {
  readonly tell?: ((progress: Progress) => void) | undefined;
  /** Called before a pause, with how many environments and models are left whose servers do not answer. */
  readonly wait?: ((left: number) => void) | undefined;
  /** Of statements, where tables are distributed. */
  readonly bounds?: SweepBounds;
  readonly retryAfterMs?: number;
}

/**
 * Gives every environment a new data key and seals again what older ones have sealed, while the server
 * serves. Cut off at any point, the next call continues. Lookup keys are never replaced. Where a server of a cluster does not
 * answer, this continues with what the others have, and returns to it until it answers.
 */
export async function replaceDataKeys(
  ctx: VaultContext,
  columns: readonly SealedColumn[],
  {
    tell = () => {},
    wait = () => {},
    bounds = sweepBounds,
    retryAfterMs = RETRY_AFTER_MS,
  }: ReplacingOptions = {},
): Promise<ReplacingReport> {
  const { rotation, resumed } = await beginOrResume(ctx);
  ctx.keys.dataKeys.clear();
  const progress = {
    after: { ...rotation.progress.after },
    resealed: { ...rotation.progress.resealed },
  };
  const save = async () => {
    await saveProgress(ctx.db, { id: rotation.id, progress });
    tell(progress);
  };
  const isPrepared = await isPreparedSchema({ db: ctx.db, state: new ServerStates() });
  let left = 0;
  for (;;) {
    const replaced = await listReplacedKeys(ctx.db);
    const isSettled = replaced.forMs >= SETTLED_AFTER_MS;
    const isWhole = Object.keys(progress.after).length === 0;
    const sweep = await sweepColumns(ctx, columns, {
      ...{ replaced: replaced.ids, progress, save, isApart: left > 0 },
      bounds: isPrepared ? bounds : undefined,
    });
    left = sweep.left;
    if (isSettled && isWhole && sweep.changed === 0 && left === 0) {
      await deleteReplacedKeys(ctx.db, sweep.failedKeys);
      await finishRotation(ctx.db, rotation.id);
      return { resumed, resealed: progress.resealed, failed: sweep.failed };
    }
    if (!isSettled) await sleep(SETTLED_AFTER_MS - replaced.forMs);
    if (left > 0) {
      wait(left);
      await sleep(retryAfterMs);
    }
  }
}

interface Sweep {
  /** Rows that were sealed again, here or by a writer meanwhile. */
  readonly changed: number;
  readonly failed: Readonly<Record<string, number>>;
  /** Data keys that the failed texts name. */
  readonly failedKeys: readonly string[];
  /** Parts of columns whose servers do not answer. */
  readonly left: number;
}

interface Sweeping extends Pick<ColumnSweep, "bounds" | "isApart"> {
  readonly replaced: readonly string[];
  readonly progress: { after: Record<string, readonly string[]>; resealed: Record<string, number> };
  readonly save: () => Promise<void>;
}

/** One pass over all columns, from where the progress says. */
async function sweepColumns(
  ctx: VaultContext,
  columns: readonly SealedColumn[],
  { replaced, progress, save, bounds, isApart }: Sweeping,
): Promise<Sweep> {
  const sealedBy = replaced.map(toKeyBytes);
  const { after, resealed } = progress;
  const failed: Record<string, number> = {};
  const failedKeys = new Set<string>();
  let changed = 0;
  let left = 0;
  for (const column of columns) {
    const name = nameOf(column);
    const note = async (page: ResealedPage) => {
      if (page.last === undefined) delete after[name];
      else after[name] = page.last;
      resealed[name] = (resealed[name] ?? 0) + page.resealed;
      changed += page.resealed + page.skipped;
      if (page.failedKeys.length > 0) failed[name] = (failed[name] ?? 0) + page.failedKeys.length;
      for (const keyId of page.failedKeys) failedKeys.add(keyId);
      await save();
    };
    const own = { sealedBy, bounds, isApart: isApart || left > 0, after: after[name], note };
    left += await sweepColumn(ctx, column, own);
  }
  // The next pass begins at the first row again.
  for (const name of Object.keys(after)) delete after[name];
  return { changed, failed, failedKeys: [...failedKeys], left };
}

/** Whether a call was cut off, or is still running. */
export async function isReplacingDataKeys(db: Db): Promise<boolean> {
  return (await findRunningRotation(db)) !== undefined;
}

/** All keys are replaced in the transaction that notes the rotation: either both have happened or none. */
async function beginOrResume(ctx: VaultContext): Promise<{ rotation: Rotation; resumed: boolean }> {
  return await withTransaction(ctx, async ({ db, keys, clock }) => {
    await lockMasterKeys(db);
    const running = await findRunningRotation(db);
    if (running !== undefined) return { rotation: running, resumed: true };
    const id = randomUUID();
    await insertRotation(db, id);
    for (const old of await lockSealKeys(db)) {
      const name = { ...old, id: randomUUID() };
      const wraps = await wrapForAll({ db, keys }, name, randomBytes(KEY_BYTES));
      await replaceDataKey(db, old.id, { ...name, wraps, createdAt: clock.now() });
    }
    return { rotation: { id, progress: {} }, resumed: false };
  });
}
