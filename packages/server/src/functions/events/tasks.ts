import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { defineTask, type KeyedTaskLimits } from "#tasks";

export const onEventTasks = {
  /** A failure of the function is not repeated; a death of its worker is. */
  postCreation: defineTask<{
    environmentId: EnvironmentId;
    connection: ConnectionUuid;
    functionId: number;
    /** Id of the keyed task; absent where an earlier release queued it. */
    turn?: string;
    /** Milliseconds since 1970; absent where an earlier release queued it. */
    queuedAt?: number;
  }>({ name: "functions.post-connection-creation", queue: "runs", maxAttempts: 5 }),
};

export const onEventLimits: KeyedTaskLimits = { task: onEventTasks.postCreation, perSlot: 0.25 };
