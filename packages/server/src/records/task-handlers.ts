import type { SystemContext } from "#platform";
import type { PayloadOf, TaskHandlers } from "#tasks";
import { dropEnvironment } from "./drop-environment.ts";
import { listCounts, removeModelRow } from "./store.ts";
import type { recordTasks } from "./tasks.ts";
import { deleteTrackings } from "./tracking/store.ts";
import { removeRecordRows } from "./writing/store.ts";

/** Records removed in one transaction, short enough to let vacuum in between. */
const PAGE = 10_000;

export const recordTaskHandlers: TaskHandlers<typeof recordTasks> = {
  removeConnection,
  dropEnvironment: async (ctx, { environmentId }) => await dropEnvironment(ctx, environmentId),
};

async function removeConnection(
  { db }: SystemContext,
  { environmentId, connection }: PayloadOf<typeof recordTasks.removeConnection>,
): Promise<void> {
  for (const { id } of await listCounts(db, environmentId, [connection])) {
    let after: string | undefined = "";
    while (after !== undefined) {
      const { last } = await removeRecordRows(db, id, { after, limit: PAGE });
      after = last;
    }
    await deleteTrackings(db, id);
    await removeModelRow(db, id);
  }
}
