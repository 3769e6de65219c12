import type { ConnectionUuid, EnvironmentId } from "#platform";
import type { Db } from "#platform/db";
import { listCounts, removeModelRow } from "../store.ts";
import { deleteTrackings } from "../tracking/store.ts";
import { removeRecordRows } from "../writing/store.ts";

/** Records removed in one transaction, short enough to let vacuum in between. */
const PAGE = 10_000;

/** Deletes the records of deleted connections; resolves to how many models went. */
export async function eraseRecords(
  { db }: { readonly db: Db },
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<number> {
  const models = await listCounts(db, environmentId, connections);
  for (const { id } of models) {
    let after: string | undefined = "";
    while (after !== undefined) {
      const { last } = await removeRecordRows(db, id, { after, limit: PAGE });
      after = last;
    }
    await deleteTrackings(db, id);
    await removeModelRow(db, id);
  }
  return models.length;
}
