import { actionRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { bindTasks } from "#tasks";
import { actionDayTables, deleteOldResults } from "./async/delete-old-results.ts";
import { actionLimits, actionTaskHandlers } from "./async/run-async-action.ts";
import { actionTasks } from "./async/tasks.ts";
import { actionHandlers } from "./routes.ts";
import { actionRuntime } from "./runtime.ts";

export const actions = defineSlice({
  routes: serveRoutes(actionRoutes, actionHandlers),
  tasks: bindTasks(actionTasks, actionTaskHandlers),
  keyedTasks: [actionLimits],
  runtime: actionRuntime,
  daily: [deleteOldResults],
  dayTables: actionDayTables,
  sealedColumns: ["input", "outcome"].map((column) => ({
    table: "async_actions",
    column,
    key: [["id", "uuid"]],
    row: "t.id",
  })),
});
