import type { ConnectionUuid, EnvironmentId } from "#platform";
import { defineTask } from "#tasks";

export const onEventTasks = {
  /** A failure of the function is not repeated; a death of its worker is. */
  postCreation: defineTask<{
    environmentId: EnvironmentId;
    connection: ConnectionUuid;
    functionId: number;
  }>({ name: "functions.post-connection-creation", queue: "long", maxAttempts: 5 }),
};
