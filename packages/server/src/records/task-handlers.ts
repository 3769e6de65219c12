import type { InstallationContext } from "#platform";
import type { PayloadOf, TaskHandlers } from "#tasks";
import { listCounts, removeModelRow, removeRecordRows } from "./store.ts";
import type { recordTasks } from "./tasks.ts";

/** Records removed in one transaction, short enough to let vacuum in between. */
const PAGE = 10_000;

export const recordTaskHandlers: TaskHandlers<typeof recordTasks> = { removeConnection };

async function removeConnection(
  { db }: InstallationContext,
  { environmentId, connection }: PayloadOf<typeof recordTasks.removeConnection>,
): Promise<void> {
  for (const { id } of await listCounts(db, environmentId, [connection])) {
    while ((await removeRecordRows(db, id, PAGE)) === PAGE);
    await removeModelRow(db, id);
  }
}
