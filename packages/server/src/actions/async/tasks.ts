import type { EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const actionTasks = {
  /** More attempts than an action may have: those without a database count here, too. */
  run: defineTask<{ environmentId: EnvironmentId; id: string }>({
    name: "actions.run",
    queue: "runs",
    maxAttempts: 25,
  }),
};
