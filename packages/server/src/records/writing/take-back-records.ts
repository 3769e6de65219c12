import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { noteWrites } from "../feed/note-writes.ts";
import { findModel, lockModel } from "../models/known-model.ts";
import { listAddedIds, markRecordsDeleted } from "./store.ts";

/** Marked in one transaction: short enough to let other writers in between. */
const PAGE = 1000;

interface AddedRecords {
  readonly connection: ConnectionUuid;
  /** As it is stored. */
  readonly model: string;
  /** When the first of them was added at the earliest. */
  readonly from: Date;
  /** What was changed later stays. */
  readonly until: Date;
}

/** Marks the records as deleted that were added within a time, so that readers hear of it; answers how many. */
export async function takeBackRecords(
  ctx: EnvironmentContext,
  { connection, model, ...within }: AddedRecords,
): Promise<number> {
  let taken = 0;
  let after: string | undefined = "";
  while (after !== undefined) {
    const known: string = after;
    after = await withTransaction(ctx, async (ctx) => {
      const { db } = ctx;
      const key = { connection, model };
      if ((await findModel(ctx, key)) === undefined) return undefined;
      const now = ctx.clock.now();
      const { id } = await lockModel(ctx, key, now);
      const ids = await listAddedIds(db, id, { ...within, after: known, limit: PAGE });
      const deletedAt = ids.map(() => null);
      const marked = await markRecordsDeleted(db, id, { ids, deletedAt, now, merging: undefined });
      if (marked > 0) await noteWrites(ctx, ctx.environment.id, [id]);
      taken += marked;
      return ids.length === PAGE ? ids.at(-1) : undefined;
    });
  }
  return taken;
}
