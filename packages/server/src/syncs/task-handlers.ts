import type { TaskHandlers } from "#tasks";
import { runSync } from "./run-sync.ts";
import type { syncTasks } from "./tasks.ts";

export const syncTaskHandlers: TaskHandlers<typeof syncTasks> = { run: runSync };
