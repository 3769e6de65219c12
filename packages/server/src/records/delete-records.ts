import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { type RecordWriter, recordsChanged } from "./hooks.ts";
import type { RecordChanges } from "./model.ts";
import { lockModel, markRecordsDeleted } from "./store.ts";

/** Marks records as deleted; their last payload stays, ids that are not stored are passed over. */
export async function deleteRecords(
  ctx: EnvironmentContext,
  {
    connection,
    model,
    writer,
    ids,
  }: {
    connection: ConnectionUuid;
    model: string;
    writer: RecordWriter;
    ids: readonly string[];
  },
): Promise<RecordChanges> {
  const environmentId = ctx.environment.id;
  const now = ctx.clock.now();
  return await withTransaction(ctx, async (ctx) => {
    const modelId = await lockModel(ctx.db, environmentId, { connection, model }, now);
    const wanted = { ids: [...new Set(ids)], now };
    const deleted = await markRecordsDeleted(ctx.db, modelId, wanted);
    const changes = { added: 0, updated: 0, unchanged: 0, deleted };
    await ctx.hooks.tell(recordsChanged, ctx, { writer, connection, model, changes });
    return changes;
  });
}
