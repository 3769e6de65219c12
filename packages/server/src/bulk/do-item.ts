import {
  deleteConnection,
  getConnectionByUuid,
  refreshConnectionNow,
  updateConnection,
} from "#connections";
import { AppError, type ConnectionUuid, type EnvironmentContext, type SyncId } from "#foundation";
import { getCachedIntegrationById } from "#integrations";
import { pauseSyncs, requireSync, type SyncTarget, startSyncs, triggerSyncs } from "#syncs";
import { type BulkItem, type BulkJob, type ItemError, isOverSyncs } from "./job.ts";

/** Does the job's action to one; doing it again, after a kill, does no harm. Resolves to why it could not be done. */
export async function doItem(
  ctx: EnvironmentContext,
  job: BulkJob,
  item: BulkItem,
): Promise<ItemError | undefined> {
  try {
    if (isOverSyncs(job.action)) await doToSync(ctx, job, asSync(item.target));
    else await doToConnection(ctx, job, asConnection(item.target));
    return undefined;
  } catch (error) {
    ctx.signal.throwIfAborted();
    // What somebody else has deleted meanwhile is deleted.
    if (job.action === "connections:delete" && isGone(error)) return undefined;
    if (error instanceof AppError) return { code: error.code, message: error.message };
    ctx.log.error("bulk.item_failed", { job: job.id, position: item.position, error });
    return { code: "server_error", message: "Something failed on our side; the log has it." };
  }
}

async function doToConnection(
  ctx: EnvironmentContext,
  { action, tags }: BulkJob,
  uuid: ConnectionUuid,
): Promise<void> {
  const connection = await getConnectionByUuid(ctx, uuid);
  const integration = await getCachedIntegrationById(ctx, connection.integrationId);
  const found = { integration, connection };
  if (action === "connections:refresh") await refreshConnectionNow(ctx, found);
  if (action === "connections:delete") {
    await deleteConnection(ctx, { integration, connectionId: connection.connectionId });
  }
  if (action === "connections:tag") {
    const all = { ...connection.tags, ...tags };
    if (Object.keys(all).length > MOST_TAGS) {
      throw new AppError("invalid_body", `It would have more than ${MOST_TAGS} tags.`);
    }
    const change = { tags: all, endUser: undefined, webhookUrlOverride: undefined };
    await updateConnection(ctx, found, change);
  }
}

const MOST_TAGS = 10;

async function doToSync(ctx: EnvironmentContext, { action }: BulkJob, id: SyncId): Promise<void> {
  const { connectionUuid, name, variant } = await requireSync(ctx, id);
  const connection = await getConnectionByUuid(ctx, connectionUuid);
  const integration = await getCachedIntegrationById(ctx, connection.integrationId);
  const target: SyncTarget = {
    integrationKey: integration.uniqueKey,
    connectionId: connection.connectionId,
    syncs: [{ name, variant }],
  };
  if (action === "syncs:pause") await pauseSyncs(ctx, target);
  if (action === "syncs:start") await startSyncs(ctx, target);
  if (action === "syncs:trigger") {
    await triggerSyncs(ctx, { ...target, wish: { reset: false, emptyCache: false } });
  }
}

function isGone(error: unknown): boolean {
  return error instanceof AppError && error.status === 404;
}

// Chosen when the job began.
function asConnection(target: string): ConnectionUuid {
  return target as ConnectionUuid;
}

function asSync(target: string): SyncId {
  return target as SyncId;
}
