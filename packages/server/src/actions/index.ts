// Owns the running of actions on demand, at once or later. Table: async_actions.
export { actionDayTables, deleteOldResults } from "./async/delete-old-results.ts";
export { actionLimits, actionTaskHandlers } from "./async/run-async-action.ts";
export { actionTasks } from "./async/tasks.ts";
export { actionHandlers } from "./routes.ts";
export { actionRuntime } from "./runtime.ts";
export { actionSealedColumns } from "./sealed-columns.ts";
export { triggerAction } from "./trigger-action.ts";
