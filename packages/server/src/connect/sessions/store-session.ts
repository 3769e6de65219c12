import { type SystemContext, serverState } from "#platform";
import { BatchWriter, RowsInOrder } from "#platform/batches";
import { insertSessions, type NewSession } from "../store.ts";

const BATCH_ROWS = 100;

const writer = serverState(
  () =>
    new BatchWriter<NewSession, void>({
      queue: new RowsInOrder(BATCH_ROWS),
      write: async (ctx, rows) => {
        await insertSessions(ctx.db, rows);
        return () => undefined;
      },
      splits: true,
    }),
);

/** Resolves once the session is stored. */
export async function storeSession(ctx: SystemContext, row: NewSession): Promise<void> {
  await writer.of(ctx).write(ctx, row);
}
