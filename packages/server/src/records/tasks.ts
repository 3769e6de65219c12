import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const recordTasks = {
  /** Removes what deleted connections have left behind. */
  removeConnections: defineTask<{
    environmentId: EnvironmentId;
    connections: readonly ConnectionUuid[];
  }>({
    name: "records.remove-connections",
    queue: "chores",
    maxAttempts: 25,
  }),
  /** The same of one, which a process of the release before has queued. */
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
