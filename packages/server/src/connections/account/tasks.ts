import type { ConnectionUuid, Environment } from "#foundation";
import { defineTask } from "#tasks";

export const accountTasks = {
  /** Asks the provider whose account a connection is. */
  readAccount: defineTask<{ environment: Environment; connection: ConnectionUuid }>({
    name: "connections.read-account",
    queue: "chores",
    maxAttempts: 3,
  }),
};
