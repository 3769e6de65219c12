import type { EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const bulkTasks = {
  run: defineTask<{ environmentId: EnvironmentId; id: string }>({
    name: "bulk.run",
    queue: "chores",
    maxAttempts: 25,
  }),
};
