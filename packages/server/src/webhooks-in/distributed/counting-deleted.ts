import type { EnvironmentId, SystemContext } from "#foundation";
import { type Db, withTransaction } from "#foundation/db";
import type { DeletedRequests } from "../storage/store.ts";
import { isInboxPrepared } from "./is-prepared.ts";
import { countBytes } from "./store.ts";

/** Deletes webhooks, and counts that they went where no trigger does. */
export async function countingDeleted(
  ctx: SystemContext,
  environmentId: EnvironmentId,
  deleteSome: (db: Db) => Promise<DeletedRequests>,
): Promise<DeletedRequests> {
  if (!(await isInboxPrepared(ctx))) return await deleteSome(ctx.db);
  return await withTransaction(ctx, async ({ db }) => {
    const deleted = await deleteSome(db);
    await countBytes(db, [{ environmentId, bytes: -deleted.bytes }]);
    return deleted;
  });
}
