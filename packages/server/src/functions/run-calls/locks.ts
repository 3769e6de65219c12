import {
  type EnvironmentContext,
  type OperationId,
  type SystemContext,
  serverState,
} from "#foundation";
import { acquireLock, deleteLock, deleteLocksOf, deleteOldLocks } from "./store.ts";

/** Runs of this process that may hold locks, so that the others end without a query. */
const lockHolders = serverState(() => new Set<OperationId>());

/** A run is known by its operation: taken over or resumed, it is still the same owner. */
export async function tryAcquireLock(
  ctx: EnvironmentContext,
  { operationId, key, ttlMs }: { operationId: OperationId; key: string; ttlMs: number },
): Promise<boolean> {
  const holders = lockHolders.of(ctx);
  holders.add(operationId);
  const isMine = await acquireLock(ctx.db, ctx.environment.id, { key, owner: operationId, ttlMs });
  // The run ended meanwhile, and may have released its locks before this one was there.
  if (ctx.signal.aborted) {
    holders.add(operationId);
    await releaseLocksOf(ctx, operationId);
  }
  return isMine;
}

export async function releaseLock(
  ctx: EnvironmentContext,
  { operationId, key }: { operationId: OperationId; key: string },
): Promise<boolean> {
  return await deleteLock(ctx.db, ctx.environment.id, { key, owner: operationId });
}

/** Asked at the end of every run, after its `ctx.signal` has been aborted. */
export async function releaseLocksOf(
  ctx: EnvironmentContext,
  operationId: OperationId,
): Promise<void> {
  if (!lockHolders.of(ctx).delete(operationId)) return;
  await deleteLocksOf(ctx.db, ctx.environment.id, operationId);
}

export async function deleteExpiredLocks(ctx: SystemContext): Promise<void> {
  await deleteOldLocks(ctx.db);
}
