import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { lockModel, recountModel } from "./store.ts";
import { removeRecordRows } from "./writing/store.ts";

/** Records removed in one transaction: short enough to let readers and vacuum in between. */
const PAGE = 10_000;

/** Removes every record of the models for good, as if none had been saved yet; cursors stay valid. */
export async function clearRecords(
  ctx: EnvironmentContext,
  { connection, models }: { connection: ConnectionUuid; models: readonly string[] },
): Promise<void> {
  for (const model of models) {
    while ((await clearPage(ctx, connection, model)) === PAGE);
  }
}

async function clearPage(
  ctx: EnvironmentContext,
  connection: ConnectionUuid,
  model: string,
): Promise<number> {
  const environmentId = ctx.environment.id;
  const key = { connection, model };
  return await withTransaction(ctx, async ({ db, clock }) => {
    const { id } = await lockModel(db, environmentId, key, clock.now());
    const removed = await removeRecordRows(db, id, PAGE);
    if (removed < PAGE) await recountModel(db, id);
    return removed;
  });
}
