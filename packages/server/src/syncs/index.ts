// Owns syncs: the schedule of each connection, sync and variant, its runs, and checkpoints.
// Tables: syncs, sync_turns, runs, checkpoints, sync_reconciliations. A sync's row is also the lease of the one run that it may have; handlers of
// webhooks run next to it, one after the other.

export { readScheduleBacklog } from "./backlog/store.ts";
export { countRunsBefore, takeBackCanary } from "./canary/follow-canary.ts";
export {
  deleteSyncsOfConnections,
  lockSyncsOfConnections,
} from "./control/delete-syncs-of-connections.ts";
export type { SyncTarget } from "./control/find-target-syncs.ts";
export { pauseSyncs, startSyncs } from "./control/pause-syncs.ts";
export { triggerSyncs } from "./control/trigger-syncs.ts";
export { eraseRuns } from "./erasure/erase-runs.ts";
export { listSyncIds, requireSync } from "./listing/list-sync-ids.ts";
export { noteQuotaWait } from "./listing/note-quota-wait.ts";
export { flushReconciled } from "./reconciliation/count-missed.ts";
export { syncHandlers } from "./routes.ts";
export { countChanges } from "./runs/count-changes.ts";
export { runSync } from "./runs/run-sync.ts";
export { syncRuntime } from "./runtime.ts";
export {
  createSyncsOfConnection,
  createSyncsOfFunctions,
  deleteSyncsOfEnvironment,
} from "./schedule/create-syncs.ts";
export { claimDueSyncs } from "./schedule/due-syncs.ts";
export { resumeSyncsOfConnection } from "./schedule/resume-syncs.ts";
export { syncs } from "./slice.ts";
export { syncTaskHandlers, webhookLimits } from "./task-handlers.ts";
export { type KeptPayload, runWebhookHandlers } from "./webhooks/run-webhook-handlers.ts";
