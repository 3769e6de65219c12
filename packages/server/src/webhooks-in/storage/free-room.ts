import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordOperation } from "#logs";
import { isInboxPrepared } from "../distributed/is-prepared.ts";
import { countBytes } from "../distributed/store.ts";
import { type DeletedRequests, deleteHandledRequests, readUsage } from "./store.ts";

// Deleted down to this part of the budget, so that it is not done again for each webhook.
const GOAL = 0.6;

/** Deletes requests that were handled until the inbox has room again; resolves to the bytes that it still keeps. */
export async function freeRoom(ctx: EnvironmentContext): Promise<number> {
  const goal = ctx.settings.webhookStorageBytes * GOAL;
  const startedAt = ctx.clock.now();
  const before = await readUsage(ctx.db, ctx.environment.id);
  let [count, bytes] = [0, 0];
  while (before - bytes > goal && !ctx.signal.aborted) {
    const deleted = await deleteHandled(ctx, Math.ceil(before - bytes - goal));
    if (deleted.count === 0) break;
    count += deleted.count;
    bytes += deleted.bytes;
  }
  if (count > 0) tell(ctx, { count, bytes, startedAt });
  return await readUsage(ctx.db, ctx.environment.id);
}

/** Deletes some handled requests until so many bytes are free. No trigger counts what a row loses. */
export async function deleteHandled(
  ctx: EnvironmentContext,
  bytes: number,
): Promise<DeletedRequests> {
  const environmentId = ctx.environment.id;
  const isPrepared = await isInboxPrepared(ctx);
  return await withTransaction(ctx, async ({ db }) => {
    const deleted = await deleteHandledRequests(db, environmentId, { bytes, isPrepared });
    await countBytes(db, [{ environmentId, bytes: -deleted.bytes }]);
    return deleted;
  });
}

function tell(
  ctx: EnvironmentContext,
  { count, bytes, startedAt }: { count: number; bytes: number; startedAt: Date },
): void {
  const limit = ctx.settings.webhookStorageBytes;
  ctx.log.warn("inbox.requests_deleted", {
    environmentId: ctx.environment.id,
    count,
    bytes,
    limit,
  });
  recordOperation(ctx, {
    id: newTimeId<OperationId>(startedAt),
    type: "webhook",
    action: "storage",
    message: `The inbox was full: ${count} requests that were handled have been deleted`,
    state: "success",
    startedAt,
    meta: { requests: count, bytes, limit },
  });
}
