import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import { deleteDriftOf } from "../drift/store.ts";
import { listCounts, lockModelById, type ModelId, removeModels } from "../store.ts";
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
  // One that fails keeps none of the others: they are left out when this is repeated.
  const failures: unknown[] = [];
  for (const { id } of models) {
    await removeModel({ db }, id).catch((error: unknown) => failures.push(error));
  }
  await deleteDriftOf(db, environmentId, connections);
  if (failures.length > 0) throw failures[0];
  return models.length;
}

/** Removes the records of a model page by page, and then the model with what was saved meanwhile. */
export async function removeModel(ctx: { readonly db: Db }, model: ModelId): Promise<void> {
  await removeRecords(ctx.db, model);
  await withTransaction(ctx, async ({ db }) => {
    await lockModelById(db, model);
    await removeRecords(db, model);
    await removeModels(db, [model]);
  });
}

async function removeRecords(db: Db, model: ModelId): Promise<void> {
  let after: string | undefined = "";
  while (after !== undefined) {
    const { last } = await removeRecordRows(db, model, { after, limit: PAGE });
    after = last;
  }
}
