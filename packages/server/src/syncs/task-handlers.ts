import type { KeyedTaskLimits, TaskHandlers } from "#tasks";
import { undoCanary } from "./canary/undo-canary.ts";
import { removeRecordsOfSync } from "./control/remove-records.ts";
import { runSync } from "./runs/run-sync.ts";
import { runWebhookRun } from "./runs/run-webhook-run.ts";
import { syncTasks } from "./tasks.ts";

export const syncTaskHandlers: TaskHandlers<typeof syncTasks> = {
  run: runSync,
  webhook: runWebhookRun,
  removeRecords: removeRecordsOfSync,
  undoCanary,
};

/** Webhook handlers of an environment that run at once, next to its share of the slots. */
const HANDLERS_PER_ENVIRONMENT = 500;

export const webhookLimits: KeyedTaskLimits = {
  task: syncTasks.webhook,
  perSlot: 0.5,
  limitOf: async () => HANDLERS_PER_ENVIRONMENT,
};
