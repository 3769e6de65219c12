// Owns the running of actions on demand, at once or later. Table: async_actions.
export { actionLimits, actionTaskHandlers } from "./async/run-async-action.ts";
export { actionTasks } from "./async/tasks.ts";
export { eraseActions } from "./erasure/erase-actions.ts";
export { actions } from "./slice.ts";
export { triggerAction } from "./trigger-action.ts";
