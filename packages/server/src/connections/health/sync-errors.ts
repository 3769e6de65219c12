import type { EnvironmentContext, OperationId } from "#foundation";
import { addSyncErrorRow, type FailingSync, removeSyncErrors } from "./store.ts";

export type { FailingSync } from "./store.ts";

/** Shows on a connection that a sync of it fails, with the operation that tells how; locks the connection. */
export async function addSyncError(
  ctx: EnvironmentContext,
  failing: FailingSync & { readonly operationId: OperationId },
): Promise<boolean> {
  return await addSyncErrorRow(ctx.db, ctx.environment.id, failing);
}

/** Syncs that work again, or are gone, leave the errors of their connections. */
export async function clearSyncErrors(
  ctx: EnvironmentContext,
  syncs: readonly FailingSync[],
): Promise<void> {
  if (syncs.length > 0) await removeSyncErrors(ctx.db, ctx.environment.id, syncs);
}
