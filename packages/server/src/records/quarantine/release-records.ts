import { addMs, DAY, type SystemContext } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import { type LockedModel, lockModelById } from "../store.ts";
import {
  countQuarantined,
  deleteOfReasons,
  deleteQuarantined,
  deleteUnseenQuarantined,
  expireSamples,
  listOldReasons,
  type Released,
  settleReleased,
} from "./store.ts";

const KEEP_SAMPLES_MS = 30 * DAY;
const KEEP_REASONS_MS = 90 * DAY;

type Model = Pick<LockedModel, "id" | "quarantined">;

/** Records were saved or deleted, and are quarantined no longer; of no cost where none of the model is. */
export async function releaseRecords(
  db: Db,
  model: Model,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<void> {
  if (model.quarantined === 0 || ids.length === 0) return;
  await settle(db, model, { released: await deleteQuarantined(db, model.id, ids), now });
}

/** What a run that tracks deletes has not seen is gone at the provider. */
export async function releaseUnseen(
  db: Db,
  model: Model,
  { afterBatch, now }: { afterBatch: number; now: Date },
): Promise<void> {
  if (model.quarantined === 0) return;
  await settle(db, model, {
    released: await deleteUnseenQuarantined(db, model.id, afterBatch),
    now,
  });
}

async function settle(
  db: Db,
  { id }: Pick<Model, "id">,
  { released, now }: { released: Released; now: Date },
): Promise<void> {
  if (released.size === 0) return;
  await settleReleased(db, id, released);
  const count = [...released.values()].reduce((sum, some) => sum + some, 0);
  await countQuarantined(db, id, { change: -count, now });
}

/** Samples go after 30 days, and records for whose reason no run was met for 90 days. Runs daily. */
export async function expireQuarantine(ctx: SystemContext): Promise<void> {
  const now = ctx.clock.now();
  await expireSamples(ctx.db, addMs(now, -KEEP_SAMPLES_MS));
  for (const { model, reasons } of await listOldReasons(ctx.db, addMs(now, -KEEP_REASONS_MS))) {
    ctx.signal.throwIfAborted();
    await withTransaction(ctx, async ({ db }) => {
      if (!(await lockModelById(db, model))) return;
      await settle(db, { id: model }, { released: await deleteOfReasons(db, model, reasons), now });
    });
  }
}
