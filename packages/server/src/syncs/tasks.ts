import type { EnvironmentId, RunId } from "#platform";
import { defineTask } from "#tasks";

export const syncTasks = {
  /** More attempts than a run may have: those whose worker died or stopped, and those without a database. */
  run: defineTask<{ environmentId: EnvironmentId; runId: RunId }>({
    name: "syncs.run",
    queue: "long",
    maxAttempts: 25,
  }),
};
