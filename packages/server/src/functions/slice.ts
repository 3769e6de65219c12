import {
  canaryRoutes,
  deployedFunctionRoutes,
  functionBundleRoutes,
  functionJobRoutes,
  functionRoutes,
  stagedDeploymentRoutes,
  tapeRoutes,
} from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { functionBundleHandlers } from "./bundles/routes.ts";
import { dueCanaries } from "./canary/check-canaries.ts";
import { canaryHandlers } from "./canary/routes.ts";
import { deleteOldConsumers } from "./consumers/count-consumer.ts";
import { deleteExpiredOfFunctions } from "./delete-expired.ts";
import { deployedFunctionHandlers } from "./deployed/routes.ts";
import { deleteOldEgress } from "./egress/count-egress.ts";
import { onEventTaskHandlers } from "./events/after-creation.ts";
import { onEventLimits, onEventTasks } from "./events/tasks.ts";
import { pruneFunctionVersions } from "./history/prune-versions.ts";
import { functionJobHandlers } from "./jobs/routes.ts";
import { deleteOldJobs, functionJobTaskHandlers } from "./jobs/run-job.ts";
import { functionJobLimits, functionJobTasks } from "./jobs/tasks.ts";
import { removeDeletedFunctions } from "./remove-deleted-functions.ts";
import { functionHandlers } from "./routes.ts";
import { deleteOldRunCounts } from "./run-counts/count-run.ts";
import { deleteOldFindings } from "./run-errors/count-error.ts";
import { functionRuntime } from "./runtime.ts";
import { deleteOldTapes } from "./tapes/erase-tapes.ts";
import { tapeHandlers } from "./tapes/routes.ts";

export const functions = defineSlice({
  routes: [
    ...serveRoutes({ ...functionRoutes, ...stagedDeploymentRoutes }, functionHandlers),
    ...serveRoutes(deployedFunctionRoutes, deployedFunctionHandlers),
    ...serveRoutes(functionJobRoutes, functionJobHandlers),
    ...serveRoutes(functionBundleRoutes, functionBundleHandlers),
    ...serveRoutes(canaryRoutes, canaryHandlers),
    ...serveRoutes(tapeRoutes, tapeHandlers),
  ],
  tasks: [
    ...bindTasks(functionJobTasks, functionJobTaskHandlers),
    ...bindTasks(onEventTasks, onEventTaskHandlers),
  ],
  keyedTasks: [functionJobLimits, onEventLimits],
  runtime: functionRuntime,
  due: [() => dueCanaries],
  daily: [
    deleteExpiredOfFunctions,
    deleteOldJobs,
    deleteOldRunCounts,
    deleteOldConsumers,
    deleteOldFindings,
    deleteOldEgress,
    deleteOldTapes,
    pruneFunctionVersions,
    removeDeletedFunctions,
  ],
  sealedColumns: [
    ...["request", "outcome", "progress"].map((column) => ({
      table: "function_jobs",
      column,
      key: [["id", "uuid"] as const],
      row: "t.id",
    })),
    {
      table: "tapes",
      column: "tape",
      key: [
        ["environment_id", "uuid"],
        ["operation_id", "uuid"],
      ],
      row: "t.environment_id || '/' || t.operation_id",
    },
  ],
});
