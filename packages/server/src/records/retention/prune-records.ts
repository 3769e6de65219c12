import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { findModel } from "../models/known-model.ts";
import { openCursors } from "../reading/cursor.ts";
import { lockModelById, type ModelId } from "../store.ts";
import { countPrunableRows, type Pruned, type PrunePage, pruneRecordRows } from "./store.ts";

/** Looked at in one transaction: short enough to let writers in between. */
const PAGE = 10_000;

/** Looked at to count: index entries of a part of a second. */
const MOST_COUNTED = 100_000;

/** Records of a model: up to and including a cursor's, or those that last changed before a time. */
interface Wanted {
  readonly connection: ConnectionUuid;
  readonly model: string;
  readonly until: { readonly cursor: string } | { readonly before: Date };
}

/** Empties payloads; `hasMore` asks the caller to call again. */
export async function pruneRecords(
  ctx: EnvironmentContext,
  { limit: most, ...wanted }: Wanted & { limit: number },
): Promise<{ count: number; hasMore: boolean }> {
  const bound = await readBound(ctx, wanted);
  const model = await findModel(ctx, wanted);
  if (model === undefined) return { count: 0, hasMore: false };
  let count = 0;
  for (;;) {
    const pruned = await prunePage(ctx, model.id, {
      ...bound,
      limit: Math.min(most - count, PAGE),
    });
    count += pruned.count;
    const isAtEnd = hasReachedEnd(pruned, bound);
    if (isAtEnd || count >= most) return { count, hasMore: !isAtEnd };
  }
}

/** How many records `pruneRecords` would empty; `hasMore`: no more than so many were looked at. */
export async function countPrunable(
  ctx: EnvironmentContext,
  wanted: Wanted,
): Promise<{ count: number; hasMore: boolean }> {
  const bound = await readBound(ctx, wanted);
  const model = await findModel(ctx, wanted);
  if (model === undefined) return { count: 0, hasMore: false };
  const page = await countPrunableRows(ctx.db, model.id, { ...bound, limit: MOST_COUNTED });
  const hasMore = page.looked === MOST_COUNTED && !hasReachedEnd(page, bound);
  return { count: page.count, hasMore };
}

type Bound = Pick<PrunePage, "until" | "before">;

async function readBound(ctx: EnvironmentContext, wanted: Wanted): Promise<Bound> {
  const { until } = wanted;
  if ("before" in until) return { until: Number.MAX_SAFE_INTEGER, before: until.before };
  const cursors = await openCursors(ctx, wanted);
  return { until: cursors.read(until.cursor), before: undefined };
}

function hasReachedEnd({ last, isOldEnough }: Pruned, { until }: Bound): boolean {
  return last === null || last >= until || !isOldEnough;
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
