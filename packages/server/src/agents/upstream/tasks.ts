import type { ConnectionUuid, EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const upstreamTasks = {
  /** A connection is new: what its server lists is read before anybody needs it. */
  refresh: defineTask<{ environmentId: EnvironmentId; connection: ConnectionUuid }>({
    ...{ name: "agents.refresh-upstream", queue: "chores", maxAttempts: 3 },
  }),
};
