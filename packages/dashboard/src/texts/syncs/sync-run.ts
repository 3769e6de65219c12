import { counted } from "../counted.ts";

/** The page of a run. */
const english = {
  runGone: "Run not found",
  runText: "Runs are kept for a week; the latest run of each sync is always kept.",
  trigger: "Trigger",
  triggers: {
    schedule: "schedule",
    trigger: "on request",
    retry: "retry after a failure",
    interruption: "continues a run that reached its time limit",
    webhook: "webhook",
  },
  fullRun: "Full run",
  attempts: "Attempts",
  times: (count: string) => counted(count, "time"),
  queued: "Queued",
  waited: "Waited",
  started: "Started",
  ended: "Ended",
  took: "Took",
  records: "Records",
  model: "Model",
  added: "Added",
  updated: "Updated",
  deleted: "Deleted",
  unchanged: "Unchanged",
  quarantined: "Quarantined",
  perSecond: "Per second",
  noRecords: "No records were saved.",
  resume: "Run again from the checkpoint",
  isForgotten: "Its operation is no longer kept: the sync starts from its own page.",
  resumed: "The run was requested.",
  checkpoint: "Checkpoint",
  beganFrom: "The run continued from",
  isNow: "The sync is now at",
  noCheckpoint: "No checkpoint.",
  openNewRun: "Open the new run",
  openOperation: "Open its operation",
};

/** Loaded with the screens that show them. */
export const syncRunTexts = { english };
