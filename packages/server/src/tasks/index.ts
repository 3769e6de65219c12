// Owns the queue of work that is due now, the loops over work that becomes due later, and the
// taking over of what dead workers held, and lanes: work that takes turns, within what each environment
// may have at once. Tables: worker_heartbeats, lane_tasks, the schema graphile_worker.
// Knows no task by name.

export { readJobBacklog, readLaneBacklog } from "./backlog/store.ts";
export { countSlots } from "./count-slots.ts";
export { DUE_CHANNEL, DueChannel, type DueChannelOptions } from "./due-channel.ts";
export {
  type DueClaim,
  type DueLoop,
  type DueLoopOptions,
  type DueWork,
  startDueLoop,
} from "./due-loop.ts";
export { type EnqueueOptions, enqueueTask, enqueueTasks } from "./enqueue-task.ts";
export { isMyTurn } from "./hand-out-turn.ts";
export {
  enteringLane,
  enterLane,
  type LaneChange,
  leaveLane,
  leavingLane,
  stayInLane,
} from "./lanes/lane-task.ts";
export { createLaneWork, type LaneTraffic } from "./lanes/lane-work.ts";
export { listUnqueued } from "./list-unqueued.ts";
export { notifyDue } from "./notify-due.ts";
export { startWorkers, type Workers, type WorkersOptions } from "./start-workers.ts";
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
