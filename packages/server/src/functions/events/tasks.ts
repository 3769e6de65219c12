import type { ConnectionUuid, EnvironmentId } from "#platform";
import { defineTask, type LaneTraffic } from "#tasks";

export const onEventTasks = {
  /** A failure of the function is not repeated; a death of its worker is. */
  postCreation: defineTask<{
    environmentId: EnvironmentId;
    connection: ConnectionUuid;
    functionId: number;
    /** Its place in the lanes; none where a release before queued it. */
    turn?: string;
  }>({ name: "functions.post-connection-creation", queue: "runs", maxAttempts: 5 }),
};

export const onEventTraffic: LaneTraffic = { task: onEventTasks.postCreation, perSlot: 0.25 };
