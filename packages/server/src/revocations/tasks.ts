import type { EnvironmentId } from "#foundation";
import { defineTask } from "#tasks";

export const revocationTasks = {
  run: defineTask<{ environmentId: EnvironmentId; id: string }>({
    name: "revocations.run",
    queue: "chores",
    maxAttempts: 25,
  }),
};

export function keyOf(id: string): string {
  return `revocation:${id}`;
}
