import type { EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const erasureTasks = {
  erase: defineTask<{ environmentId: EnvironmentId; id: string }>({
    name: "end-users.erase",
    queue: "chores",
    maxAttempts: 25,
  }),
};
