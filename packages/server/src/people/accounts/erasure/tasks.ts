import { defineTask } from "#tasks";

export const accountTasks = {
  erase: defineTask<{ id: string }>({
    name: "people.erase_account",
    queue: "chores",
    maxAttempts: 25,
  }),
};
