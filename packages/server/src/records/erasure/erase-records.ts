import type { ConnectionUuid, EnvironmentId, SystemContext } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import { deleteDriftOf } from "../drift/store.ts";
import { noteWrites } from "../feed/note-writes.ts";
import { listCounts, lockModelById, type ModelId, removeModels } from "../store.ts";
import { removeRecordRows } from "../writing/store.ts";

/** Records removed in one transaction, short enough to let vacuum in between. */
const PAGE = 10_000;

type RecordsContext = Pick<SystemContext, "db" | "state">;

/** Deletes the records of deleted connections; resolves to how many models went. */
export async function eraseRecords(
  ctx: RecordsContext,
  environmentId: EnvironmentId,
  connections: readonly ConnectionUuid[],
): Promise<number> {
  const models = await listCounts(ctx.db, environmentId, connections);
  // One that fails keeps none of the others: they are left out when this is repeated.
  const failures: unknown[] = [];
  for (const { id } of models) {
    await removeModel(ctx, environmentId, id).catch((error: unknown) => failures.push(error));
  }
  await deleteDriftOf(ctx.db, environmentId, connections);
  if (failures.length > 0) throw failures[0];
  return models.length;
}

/** Removes the records of a model page by page, and then the model with what was saved meanwhile. */
export async function removeModel(
  ctx: RecordsContext,
  environmentId: EnvironmentId,
  model: ModelId,
): Promise<void> {
  await removeRecords(ctx.db, model);
  await withTransaction(ctx, async (ctx) => {
    await lockModelById(ctx.db, model);
    await removeRecords(ctx.db, model);
    await removeModels(ctx.db, [model]);
    await noteWrites(ctx, environmentId, [model]);
  });
}

async function removeRecords(db: Db, model: ModelId): Promise<void> {
  let after: string | undefined = "";
  while (after !== undefined) {
    const { last } = await removeRecordRows(db, model, { after, limit: PAGE });
    after = last;
  }
}
