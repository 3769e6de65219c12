import type { ConnectionUuid, EnvironmentId } from "#platform";
import { defineTask } from "#tasks";

export const recordTasks = {
  /** Removes what a deleted connection has left behind. */
  removeConnection: defineTask<{ environmentId: EnvironmentId; connection: ConnectionUuid }>({
    name: "records.remove-connection",
    queue: "long",
    maxAttempts: 25,
  }),
};
