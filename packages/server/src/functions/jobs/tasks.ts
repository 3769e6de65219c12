import type { EnvironmentId } from "#foundation";
import { defineTask, type KeyedTaskLimits } from "#tasks";

export const functionJobTasks = {
  /** A second attempt runs nothing: it tells that the first was cut off. */
  run: defineTask<{ environmentId: EnvironmentId; jobId: string }>({
    name: "functions.run-job",
    queue: "runs",
    maxAttempts: 25,
  }),
};

/** Dry runs and deployments, which compile and run what was sent: fairly between environments. */
export const functionJobLimits: KeyedTaskLimits = { task: functionJobTasks.run, perSlot: 0.25 };
