import { addSyncError, clearSyncErrors } from "#connections";
import type { EnvironmentContext, OperationId } from "#platform";
import { withTransaction } from "#platform/db";
import { lockSync } from "../store.ts";
import { nameInErrors, type Sync } from "../sync.ts";
import type { RunSubject } from "./run-subject.ts";

type NamedSync = Pick<Sync, "id" | "connectionUuid" | "name" | "variant">;

/**
 * Takes the error of a sync from its connection. Before the success is written: where that then fails, an error is
 * missing until the next failure, rather than standing there for good.
 */
export async function clearSyncError(
  ctx: EnvironmentContext,
  sync: NamedSync,
  { connection }: RunSubject,
): Promise<void> {
  const name = nameInErrors(sync);
  if (!connection.errors.some((error) => error.sync === name)) return;
  await clearSyncErrors(ctx, [{ connection: sync.connectionUuid, sync: name }]);
}

/**
 * Shows that a sync fails on its connection. In a transaction of its own, which locks the connection before the sync, as
 * the deletion of a connection does; a sync that was deleted meanwhile shows nothing.
 */
export async function showSyncError(
  ctx: EnvironmentContext,
  sync: NamedSync,
  operationId: OperationId,
): Promise<void> {
  const failing = { connection: sync.connectionUuid, sync: nameInErrors(sync) };
  await withTransaction(ctx, async (ctx) => {
    await addSyncError(ctx, { ...failing, operationId });
    const current = await lockSync(ctx.db, ctx.environment.id, sync.id);
    const isFailing = current?.deletedAt === null && current.consecutiveFailures > 0;
    if (!isFailing) await clearSyncErrors(ctx, [failing]);
  });
}
