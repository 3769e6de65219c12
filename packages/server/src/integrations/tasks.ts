import type { Environment } from "#platform";
import { defineTask } from "#tasks";

export const integrationTasks = {
  /** Removes what a deleted environment has left behind. */
  removeEnvironment: defineTask<{ environment: Environment }>({
    name: "integrations.remove-environment",
    queue: "chores",
    maxAttempts: 25,
  }),
};
