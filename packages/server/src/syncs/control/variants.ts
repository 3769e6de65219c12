import { type Connection, clearSyncErrors, getConnection, subjectOf } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { type DeployedSync, listFunctions } from "#functions";
import { getIntegration, type Integration } from "#integrations";
import { recordOperation } from "#logs";
import { clearRecords, storedModel } from "#records";
import { notifyDue } from "#tasks";
import { deleteCheckpoints } from "../checkpoints/store.ts";
import { cancelRuns, stopRuns } from "../runs/cancel-runs.ts";
import { intervalOf } from "../schedule/create-syncs.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { deleteSync, insertSyncs, listSyncs, lockIntegration, type NamedSync } from "../store.ts";
import { checkpointKey, nameInErrors } from "../sync.ts";

/** Of one sync and connection, `base` included. */
const MAX_VARIANTS = 100;

export interface VariantPlace {
  readonly integrationKey: string;
  readonly connectionId: string;
  readonly name: string;
  readonly variant: string;
}

interface Found {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly fn: DeployedSync | undefined;
}

/** Adds a variant, which runs at once and then as often as its sync. */
export async function createVariant(
  ctx: EnvironmentContext,
  place: VariantPlace,
): Promise<NamedSync> {
  requireOwnName(place);
  const found = await find(ctx, place);
  const { integration, connection, fn } = found;
  const { name, variant } = place;
  if (fn === undefined) {
    throw new AppError(
      "unknown_sync",
      `The integration "${integration.uniqueKey}" has no sync "${name}"; deploy it or check its name.`,
    );
  }
  return await withTransaction(ctx, async (ctx) => {
    const { id: environmentId } = ctx.environment;
    await lockIntegration(ctx.db, integration.id, "alone");
    const filter = { functionIds: [fn.id], connections: [connection.uuid] };
    const known = await listSyncs(ctx.db, environmentId, filter);
    requireNew(known, place);
    const now = ctx.clock.now();
    const intervalMs = intervalOf(fn);
    const sync = { functionId: fn.id, name, variant, paused: false, intervalMs };
    await insertSyncs(ctx.db, environmentId, sync, { connections: [connection.uuid], now });
    await notifyDue(ctx, DUE_SYNCS);
    logChange(ctx, found, place, "create_variant");
    const all = await listSyncs(ctx.db, environmentId, filter);
    const created = all.find((each) => each.variant === variant);
    if (created === undefined) throw new Error(`variant ${variant} was not stored`);
    return created;
  });
}

/** Removes a variant: its schedule, checkpoint and records; a run in progress is cancelled. */
export async function deleteVariant(ctx: EnvironmentContext, place: VariantPlace): Promise<void> {
  requireOwnName(place);
  const found = await find(ctx, place);
  const { connection, fn } = found;
  const { name, variant } = place;
  const filter = { functionIds: fn === undefined ? [] : [fn.id], connections: [connection.uuid] };
  const known = await listSyncs(ctx.db, ctx.environment.id, filter);
  const sync = known.find((each) => each.variant === variant);
  if (fn === undefined || sync === undefined) {
    throw new AppError(
      "not_found",
      `The connection has no variant "${variant}" of sync "${name}"; see GET /sync/status.`,
    );
  }
  await clearSyncErrors(ctx, [{ connection: connection.uuid, sync: nameInErrors(sync) }]);
  const stopped = await withTransaction(ctx, async (ctx) => {
    const lease = await deleteSync(ctx.db, ctx.environment.id, sync.id, ctx.clock.now());
    // First: a run that saves its checkpoint locks in this order. After it nothing more is saved.
    const runs = await cancelRuns(ctx, [lease]);
    const checkpoint = { connection: connection.uuid, key: checkpointKey(sync) };
    await deleteCheckpoints(ctx.db, ctx.environment.id, checkpoint);
    return runs;
  });
  stopRuns(ctx, stopped);
  const models = fn.definition.models.map((model) => storedModel(model, variant));
  await clearRecords(ctx, { connection: connection.uuid, models });
  logChange(ctx, found, place, "delete_variant");
}

async function find(
  ctx: EnvironmentContext,
  { integrationKey, connectionId, name }: VariantPlace,
): Promise<Found> {
  const integration = await getIntegration(ctx, integrationKey);
  const connection = await getConnection(ctx, { integration, connectionId });
  const functions = await listFunctions(ctx, { integration, type: "sync" });
  return { integration, connection, fn: functions.find((fn) => fn.name === name) };
}

function requireOwnName({ variant }: VariantPlace): void {
  if (variant.toLowerCase() === "base") throw new AppError("invalid_variant");
}

function requireNew(known: readonly NamedSync[], { name, variant }: VariantPlace): void {
  if (known.some((sync) => sync.variant === variant)) {
    throw new AppError(
      "sync_variant_already_exists",
      `The connection has the variant "${variant}" of sync "${name}" already.`,
    );
  }
  if (known.length < MAX_VARIANTS) return;
  throw new AppError(
    "resource_capped",
    `A sync has at most ${MAX_VARIANTS} variants for one connection; delete one first.`,
  );
}

function logChange(
  ctx: EnvironmentContext,
  { integration, connection, fn }: Found,
  { name, variant }: VariantPlace,
  action: "create_variant" | "delete_variant",
): void {
  recordOperation(ctx, {
    type: "sync",
    action,
    message: `Variant "${variant}" of sync "${name}" was ${action === "create_variant" ? "added" : "removed"}`,
    ...subjectOf(integration, connection),
    ...(fn && { function: { id: fn.id, name } }),
    meta: { variant },
    state: "success",
    startedAt: ctx.clock.now(),
  });
}
