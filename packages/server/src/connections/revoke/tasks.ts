import type { ConnectionUuid, Environment } from "#foundation";
import { defineTask } from "#tasks";

export const connectionTasks = {
  /** Withdraws a deleted connection's credentials at the provider, then forgets them. */
  revokeDeleted: defineTask<{ environment: Environment; connection: ConnectionUuid }>({
    name: "connections.revoke-deleted",
    queue: "chores",
    // About six minutes of tries: a provider that is down for longer is not notified.
    maxAttempts: 7,
  }),
};
