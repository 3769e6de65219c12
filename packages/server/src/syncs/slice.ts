import { syncReconciliationRoutes, syncRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { readScheduleBacklog } from "./backlog/store.ts";
import { deleteIdleRecords } from "./control/delete-idle-records.ts";
import { forgetOldReconciled } from "./reconciliation/count-missed.ts";
import { syncReconciliationHandlers } from "./reconciliation/list-reconciliations.ts";
import { syncHandlers } from "./routes.ts";
import { syncRuntime } from "./runtime.ts";
import { dueSyncs } from "./schedule/due-syncs.ts";
import { forgetOldRuns, runDayTables, syncSweep } from "./sweeping/sweep-runs.ts";
import { syncTaskHandlers, webhookLimits } from "./task-handlers.ts";
import { syncTasks } from "./tasks.ts";

export const syncs = defineSlice({
  routes: [
    ...serveRoutes(syncRoutes, syncHandlers),
    ...serveRoutes(syncReconciliationRoutes, syncReconciliationHandlers),
  ],
  tasks: bindTasks(syncTasks, syncTaskHandlers),
  keyedTasks: [webhookLimits],
  runtime: syncRuntime,
  due: [() => dueSyncs, () => syncSweep],
  daily: [deleteIdleRecords, forgetOldRuns, forgetOldReconciled],
  dayTables: runDayTables,
  backlogs: [readScheduleBacklog],
  sealedColumns: [{ table: "webhook_inputs", column: "input", key: [["id", "uuid"]], row: "t.id" }],
});
