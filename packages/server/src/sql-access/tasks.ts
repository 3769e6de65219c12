import { defineTask } from "#tasks";

export const sqlAccessTasks = {
  /** Ends the sessions of a login that was revoked, and drops it with its views. */
  drop: defineTask<{ role: string }>({
    name: "sql-access.drop",
    queue: "chores",
    maxAttempts: 25,
  }),
};
