import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { deleteDriftOfModel } from "../drift/store.ts";
import { noteClearedModel } from "../feed/store.ts";
import { findModel, lockModel } from "../models/known-model.ts";
import { clearQuarantine } from "../quarantine/store.ts";
import { recountModel } from "../store.ts";
import { removeRecordRows } from "../writing/store.ts";

/** Records removed in one transaction: short enough to let readers and vacuum in between. */
const PAGE = 10_000;

export interface Clearing {
  readonly connection: ConnectionUuid;
  readonly models: readonly string[];
  /** Called in each of the transactions: what it throws ends the clearing, and what it locks stays locked. */
  readonly require?: (ctx: EnvironmentContext) => Promise<void>;
}

/** Removes every record of the models for good, as if none had been saved yet; cursors stay valid. */
export async function clearRecords(ctx: EnvironmentContext, clearing: Clearing): Promise<void> {
  for (const model of clearing.models) {
    let after: string | undefined = "";
    while (after !== undefined) after = await clearPage(ctx, clearing, { model, after });
  }
}

/** The last record of the page; undefined when no other follows. */
async function clearPage(
  ctx: EnvironmentContext,
  { connection, require }: Clearing,
  { model, after }: { model: string; after: string },
): Promise<string | undefined> {
  const key = { connection, model };
  return await withTransaction(ctx, async (ctx) => {
    await require?.(ctx);
    const { db, clock } = ctx;
    if ((await findModel(ctx, key)) === undefined) return undefined;
    const { id } = await lockModel(ctx, key, clock.now());
    const { count, last } = await removeRecordRows(db, id, { after, limit: PAGE });
    if (count > 0) await noteClearedModel(db, ctx.environment.id, { id, ...key });
    if (count === PAGE) return last;
    await recountModel(db, id);
    await clearQuarantine(db, id);
    await deleteDriftOfModel(db, ctx.environment.id, key);
    return undefined;
  });
}
