import { getConnectionByUuid } from "#connections";
import { findCachedEnvironment } from "#environments";
import {
  addMs,
  type EnvironmentContext,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { listFunctions } from "#functions";
import { clearRecords, storedModel, takeBackRecords } from "#records";
import type { PayloadOf } from "#tasks";
import { saveCheckpointRow } from "../checkpoints/store.ts";
import { resetSync } from "../control/reset-sync.ts";
import { triggerSync } from "../control/trigger-syncs.ts";
import { stopRuns } from "../runs/cancel-runs.ts";
import { requestCancel } from "../runs/store.ts";
import { lockSync, updateSync } from "../store.ts";
import { type Checkpoint, checkpointKey, type Sync } from "../sync.ts";
import type { syncTasks } from "../tasks.ts";
import {
  forgetTouched,
  hasChanged,
  listCanaryModels,
  listOpenRuns,
  listTouchedSyncs,
  markStopped,
  type TouchedSync,
} from "./store.ts";

const AT_ONCE = 100;
/** Clocks of processes differ; what is taken back too much comes with the full run that follows. */
const CLOCKS_DIFFER_MS = 10 * SECOND;

/**
 * Takes back what syncs have done with a version that was rolled back, one after the other: their runs stop, their
 * checkpoints are what they were before, records that they added go, and a full run of the deployed version corrects
 * those that they changed. Begins again where it was interrupted.
 */
export async function undoCanary(
  system: SystemContext,
  { environmentId, canaryId }: PayloadOf<typeof syncTasks.undoCanary>,
): Promise<void> {
  const environment = await findCachedEnvironment(system, environmentId);
  if (environment === undefined) return;
  const ctx = withEnvironment(system, environment);
  // All are stopped before the long work of any of them begins.
  let page = await stopAll(ctx, canaryId);
  while (page.length > 0) {
    for (const touched of page) await undoSync(ctx, canaryId, touched);
    page = await listTouchedSyncs(ctx.db, canaryId, { limit: AT_ONCE });
  }
}

/** Answers the first that are to be undone. */
async function stopAll(ctx: EnvironmentContext, canaryId: string): Promise<TouchedSync[]> {
  let after: Sync["id"] | undefined;
  for (;;) {
    const page = await listTouchedSyncs(ctx.db, canaryId, { limit: AT_ONCE, after });
    for (const touched of page) {
      if (touched.stoppedAt === null) await stopSync(ctx, canaryId, touched);
    }
    after = page.at(-1)?.syncId;
    if (page.length < AT_ONCE) break;
  }
  return await listTouchedSyncs(ctx.db, canaryId, { limit: AT_ONCE });
}

/** After it no run of the canary writes, and the sync has come as far as before. */
async function stopSync(
  ctx: EnvironmentContext,
  canaryId: string,
  { syncId, checkpoint, webhookCheckpoint, byWebhook, lastSyncDate }: TouchedSync,
): Promise<void> {
  const { id: environmentId } = ctx.environment;
  const stopped = await withTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const sync = await lockSync(ctx.db, environmentId, syncId);
    if (sync === undefined || sync.deletedAt !== null) return [];
    const { functionId, connectionUuid: connection } = sync;
    const open = await listOpenRuns(ctx.db, environmentId, { syncId, functionId, connection });
    if (open.length > 0) await requestCancel(ctx.db, environmentId, open, now);
    const restore = async (key: string, was: Checkpoint | null) => {
      const restored = { checkpoint: was, expected: undefined, now };
      await saveCheckpointRow(ctx.db, environmentId, { connection, key }, restored);
    };
    await restore(checkpointKey(sync), checkpoint);
    if (byWebhook) await restore(checkpointKey(sync, "webhook"), webhookCheckpoint);
    await updateSync(ctx.db, environmentId, syncId, { lastSyncDate, unfinished: null }, now);
    await markStopped(ctx.db, { canaryId, syncId, now });
    return open;
  });
  stopRuns(ctx, stopped);
  await ctx.failpoints.hit("canaries.sync_stopped");
}

async function undoSync(
  ctx: EnvironmentContext,
  canaryId: string,
  { syncId, touchedAt, byWebhook, stoppedAt }: TouchedSync,
): Promise<void> {
  const { id: environmentId } = ctx.environment;
  const until = stoppedAt ?? ctx.clock.now();
  const sync = await lockSync(ctx.db, environmentId, syncId);
  const wanted = { syncId, from: touchedAt, until };
  if (sync === undefined || sync.deletedAt !== null) {
    return await forgetTouched(ctx.db, canaryId, syncId);
  }
  const isChanged = byWebhook || (await hasChanged(ctx.db, environmentId, wanted));
  if (isChanged)
    await takeBack(ctx, canaryId, { sync, from: touchedAt, until: addMs(until, CLOCKS_DIFFER_MS) });
  await ctx.failpoints.hit("canaries.records_taken_back");
  const stopped = await withTransaction(ctx, async (ctx) => {
    await forgetTouched(ctx.db, canaryId, syncId);
    const locked = await lockSync(ctx.db, environmentId, syncId);
    if (!isChanged || locked === undefined || locked.deletedAt !== null) return [];
    if (!locked.paused) return await triggerSync(ctx, locked, { reset: true, emptyCache: false });
    await resetSync(ctx, locked);
    return [];
  });
  stopRuns(ctx, stopped);
}

async function takeBack(
  ctx: EnvironmentContext,
  canaryId: string,
  { sync, from, until }: { sync: Sync; from: Date; until: Date },
): Promise<void> {
  const { connectionUuid: connection, functionId, variant } = sync;
  const { integrationId } = await getConnectionByUuid(ctx, connection);
  const deployed = await listFunctions(ctx, { integration: { id: integrationId }, type: "sync" });
  const kept = new Set(deployed.flatMap(({ definition }) => definition.models));
  for (const model of await listCanaryModels(ctx.db, canaryId, functionId)) {
    const stored = storedModel(model, variant);
    if (kept.has(model)) {
      await takeBackRecords(ctx, { connection, model: stored, from, until });
    } else {
      await clearRecords(ctx, { connection, models: [stored] });
    }
  }
}
