// Owns the queue of work that is due now, the loops over work that becomes due later, and the
// taking over of what dead workers held. Tables: worker_heartbeats, the schema graphile_worker.
// Knows no task by name.
export { DueChannel, type DueChannelOptions } from "./due-channel.ts";
export {
  type DueClaim,
  type DueLoop,
  type DueLoopOptions,
  type DueWork,
  startDueLoop,
} from "./due-loop.ts";
export { type EnqueueOptions, enqueueTask } from "./enqueue-task.ts";
export { notifyDue } from "./notify-due.ts";
export { startWorkers, type WorkersOptions } from "./start-workers.ts";
export {
  type Attempt,
  type BoundTask,
  bindTasks,
  defineTask,
  type PayloadOf,
  type Task,
  type TaskHandler,
  type TaskHandlers,
} from "./task.ts";
