import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const recordTasks = {
  /** Removes what a deleted connection has left behind. */
  removeConnection: defineTask<{ environmentId: EnvironmentId; connection: ConnectionUuid }>({
    name: "records.remove-connection",
    queue: "chores",
    maxAttempts: 25,
  }),
  /** Drops the records of a deleted environment as a whole. */
  dropEnvironment: defineTask<{ environmentId: EnvironmentId }>({
    name: "records.drop-environment",
    queue: "chores",
    maxAttempts: 25,
  }),
};
