// Owns the queue of work that is due now, the loops over work that becomes due later, and the
// taking over of what dead workers held, and keyed tasks: those of one queue key run in order, within what each environment
// may have at once. Tables: worker_heartbeats, lane_tasks, due_notes, the schema graphile_worker.
// Knows no task by name.

export { readJobBacklog, readKeyedBacklog } from "./backlog/store.ts";
export { countSlots } from "./count-slots.ts";
export { DUE_CHANNEL, DueChannel, type DueChannelOptions } from "./due/due-channel.ts";
export {
  type DueClaim,
  type DueLoop,
  type DueLoopOptions,
  type DueWork,
  startDueLoop,
} from "./due/due-loop.ts";
export { InFlight } from "./due/in-flight.ts";
export { listUnqueued } from "./due/list-unqueued.ts";
export { notifyDue } from "./due/notify-due.ts";
export { tryHandOut } from "./due/try-hand-out.ts";
export { type EnqueueOptions, enqueueTask, enqueueTasks } from "./enqueue-task.ts";
export {
  completeKeyed,
  completingKeyed,
  enqueueKeyed,
  enqueueManyKeyed,
  enqueuingKeyed,
  type KeyedTaskChange,
  postponeKeyed,
} from "./keyed/keyed-task.ts";
export { createKeyedWork, type KeyedTaskLimits } from "./keyed/keyed-work.ts";
export {
  type DueNote,
  insertDueNotes,
  listNotedQueues,
  type NotedQueue,
  replaceDueNotes,
} from "./notes/store.ts";
export { startWorkers, type Workers, type WorkersOptions } from "./start-workers.ts";
export { listWorkers } from "./store.ts";
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
