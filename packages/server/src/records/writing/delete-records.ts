import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { noteWrites } from "../feed/note-writes.ts";
import { type RecordWriter, recordsChanged } from "../hooks.ts";
import { tallyChanges } from "../metrics/record-tallies.ts";
import { lockModel } from "../models/known-model.ts";
import { releaseRecords } from "../quarantine/release-records.ts";
import type { SavedBatch } from "./save-records.ts";
import { type Merging, markRecordsDeleted } from "./store.ts";

/**
 * Marks records as deleted, each at its time in `deletedAt` or else now; their last payload stays, ids that are
 * not stored are passed over.
 */
export async function deleteRecords(
  ctx: EnvironmentContext,
  batch: {
    connection: ConnectionUuid;
    model: string;
    writer: RecordWriter;
    ids: readonly string[];
    deletedAt?: readonly (string | null)[] | undefined;
    merging?: Merging | undefined;
  },
): Promise<SavedBatch> {
  const { connection, model, writer, ids, deletedAt = [], merging } = batch;
  const now = ctx.clock.now();
  const done = await withTransaction(ctx, async (ctx): Promise<SavedBatch> => {
    const locked = await lockModel(ctx, { connection, model }, now);
    const { id, sequence } = locked;
    await releaseRecords(ctx.db, locked, { ids, now });
    const timeById = new Map(ids.map((recordId, index) => [recordId, deletedAt[index] ?? null]));
    const wanted = {
      ids: [...timeById.keys()],
      deletedAt: [...timeById.values()],
      now,
      merging,
    };
    const deleted = await markRecordsDeleted(ctx.db, id, wanted);
    if (deleted > 0) await noteWrites(ctx, ctx.environment.id, [id]);
    const changes = { added: 0, updated: 0, unchanged: 0, deleted };
    await ctx.hooks.tell(recordsChanged, ctx, { writer, connection, model, changes });
    return { ...changes, range: [sequence, sequence + deleted] };
  });
  tallyChanges(ctx, done);
  return done;
}
