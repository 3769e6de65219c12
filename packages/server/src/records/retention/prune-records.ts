import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { findModel } from "../models/known-model.ts";
import { openCursors } from "../reading/cursor.ts";
import { lockModelById, type ModelId } from "../store.ts";
import { type Pruned, type PrunePage, pruneRecordRows } from "./store.ts";

/** Looked at in one transaction: short enough to let writers in between. */
const PAGE = 10_000;

/** Empties payloads up to and including a cursor's record; `hasMore` asks the caller to call again. */
export async function pruneRecords(
  ctx: EnvironmentContext,
  wanted: { connection: ConnectionUuid; model: string; untilCursor: string; limit: number },
): Promise<{ count: number; hasMore: boolean }> {
  const cursors = await openCursors(ctx, wanted);
  const until = cursors.read(wanted.untilCursor);
  const model = await findModel(ctx, wanted);
  if (model === undefined) return { count: 0, hasMore: false };
  let count = 0;
  for (;;) {
    const limit = Math.min(wanted.limit - count, PAGE);
    const pruned = await prunePage(ctx, model.id, { until, limit, before: undefined });
    count += pruned.count;
    const hasReachedEnd = pruned.last === null || pruned.last >= until;
    if (hasReachedEnd || count >= wanted.limit) return { count, hasMore: !hasReachedEnd };
  }
}

/** Empties the payloads of all records of a model that last changed before a time. */
export async function pruneModel(
  ctx: EnvironmentContext,
  model: ModelId,
  before: Date,
): Promise<number> {
  let count = 0;
  for (;;) {
    const page = { until: Number.MAX_SAFE_INTEGER, limit: PAGE, before };
    const pruned = await prunePage(ctx, model, page);
    count += pruned.count;
    if (pruned.last === null || !pruned.isOldEnough) return count;
  }
}

async function prunePage(
  ctx: EnvironmentContext,
  model: ModelId,
  page: Omit<PrunePage, "now">,
): Promise<Pruned> {
  return await withTransaction(ctx, async ({ db, clock }) => {
    await lockModelById(db, model);
    return await pruneRecordRows(db, model, { ...page, now: clock.now() });
  });
}
