import { actionTaskHandlers, actionTasks, deleteOldResults } from "#actions";
import { deleteOldSessions } from "#connect";
import {
  connectionTaskHandlers,
  connectionTasks,
  createIdleRefreshWork,
  sweepRefreshSpool,
  sweepRevocations,
} from "#connections";
import { eraseEnvironments } from "#environments";
import {
  deleteExpiredOfFunctions,
  deleteOldJobs,
  functionJobTaskHandlers,
  functionJobTasks,
  onEventTaskHandlers,
  onEventTasks,
} from "#functions";
import { deleteExpiredAnswers } from "#gateway";
import { integrationTaskHandlers, integrationTasks } from "#integrations";
import { dropOldPartitions, expireOperations } from "#logs";
import type { SystemContext } from "#platform";
import { deleteOldStageCounts } from "#providers";
import { expireOldTrackings, pruneOldRecords, recordTaskHandlers, recordTasks } from "#records";
import {
  deleteIdleRecords,
  dueSyncs,
  forgetOldRuns,
  syncSweep,
  syncTaskHandlers,
  syncTasks,
} from "#syncs";
import { bindTasks, createKeyedWork, startWorkers, type Workers } from "#tasks";
import { createInboxWork, deleteOldWebhooks } from "#webhooks-in";
import {
  createDeliveryWork,
  deleteOldDeliveries,
  webhookTaskHandlers,
  webhookTasks,
} from "#webhooks-out";
import type { AppOptions } from "./app-options.ts";
import { ensureDayPartitions } from "./ensure-day-partitions.ts";
import { keyedTaskLimits } from "./observe-app.ts";

/** So a worker may miss one sign of life. */
const HEARTBEAT_SHARE = 0.4;

/** The workers of a process: every task, every due work, every chore. */
export async function startWork(
  ctx: SystemContext,
  { config, directUrl: connectionString, isDeaf }: AppOptions,
): Promise<Workers> {
  return await startWorkers({
    connectionString,
    pooled: isDeaf,
    log: ctx.log,
    makeContext: (signal) => ({ ...ctx, signal }),
    runSlots: config.runSlots,
    silentMs: config.workerTimeoutMs,
    heartbeatMs: config.workerTimeoutMs * HEARTBEAT_SHARE,
    tasks: [
      ...bindTasks(syncTasks, syncTaskHandlers),
      ...bindTasks(actionTasks, actionTaskHandlers),
      ...bindTasks(recordTasks, recordTaskHandlers),
      ...bindTasks(integrationTasks, integrationTaskHandlers),
      ...bindTasks(connectionTasks, connectionTaskHandlers),
      ...bindTasks(functionJobTasks, functionJobTaskHandlers),
      ...bindTasks(onEventTasks, onEventTaskHandlers),
      ...bindTasks(webhookTasks, webhookTaskHandlers),
    ],
    channel: ctx.notices,
    due: [
      dueSyncs,
      syncSweep,
      createKeyedWork(keyedTaskLimits),
      createDeliveryWork(),
      createInboxWork(),
      createIdleRefreshWork(),
    ],
    daily: [
      deleteOldWebhooks,
      deleteExpiredAnswers,
      deleteOldDeliveries,
      deleteExpiredOfFunctions,
      deleteOldJobs,
      pruneOldRecords,
      expireOldTrackings,
      deleteIdleRecords,
      deleteOldResults,
      forgetOldRuns,
      deleteOldSessions,
      deleteOldStageCounts,
      dropOldPartitions,
      ensureDayPartitions,
      expireOperations,
      sweepRefreshSpool,
      sweepRevocations,
      eraseEnvironments,
    ],
  });
}
