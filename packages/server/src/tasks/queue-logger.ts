import { Logger as QueueLogger } from "graphile-worker";
import type { Logger } from "#platform";

// Logged at every stop with running jobs although the rows end up right; we report "Failed task" ourselves.
const noise = [/queue is already released/, /^Failed task/, /smaller than concurrency/];

/** The queue's own log as ours: its warnings and errors matter, its chatter does not. */
export function createQueueLogger(log: Logger): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (noise.some((form) => form.test(message))) return;
    if (level === "error") log.error("tasks.queue_error", { message });
    else if (level === "warning") log.warn("tasks.queue_warning", { message });
    else log.debug("tasks.queue", { message });
  });
}
