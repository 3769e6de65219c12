import type { EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const webhookTasks = {
  /** Continues with a replay whose range was too long for the request that asked for it. */
  replay: defineTask<{ environmentId: EnvironmentId; id: string }>({
    name: "webhooks-out.replay",
    queue: "chores",
    maxAttempts: 25,
  }),
};
