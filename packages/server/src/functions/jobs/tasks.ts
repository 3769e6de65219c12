import type { EnvironmentId } from "#platform";
import { defineTask, type LaneTraffic } from "#tasks";

export const functionJobTasks = {
  /** A second attempt runs nothing: it tells that the first was cut off. */
  run: defineTask<{ environmentId: EnvironmentId; jobId: string }>({
    name: "functions.run-job",
    queue: "runs",
    maxAttempts: 25,
  }),
};

/** Dry runs and deployments, which compile and run what was sent: in turn of the environments. */
export const functionJobTraffic: LaneTraffic = { task: functionJobTasks.run, perSlot: 0.25 };
