import type { EnvironmentId } from "#platform";
import { defineTask } from "#tasks";

export const functionJobTasks = {
  /** A second attempt runs nothing: it tells that the first was cut off. */
  run: defineTask<{ environmentId: EnvironmentId; jobId: string }>({
    name: "functions.run-job",
    queue: "long",
    maxAttempts: 25,
  }),
};
