import type { Environment } from "#foundation";
import { defineTask } from "#tasks";

export const integrationTasks = {
  /** Removes an integration whose connections take their time to go. */
  remove: defineTask<{ environment: Environment; uniqueKey: string }>({
    name: "integrations.remove",
    queue: "chores",
    maxAttempts: 25,
  }),
  /** Removes what a deleted environment has left behind. */
  removeEnvironment: defineTask<{ environment: Environment }>({
    name: "integrations.remove-environment",
    queue: "chores",
    maxAttempts: 25,
  }),
};
