import type { EnvironmentId, RunId } from "#foundation";
import { defineTask } from "#tasks";

type RunPayload = { environmentId: EnvironmentId; runId: RunId };

/** More attempts than a run may have: those whose worker died or stopped, and those without a database. */
const MAX_ATTEMPTS = 25;

export const syncTasks = {
  run: defineTask<RunPayload>({ name: "syncs.run", queue: "runs", maxAttempts: MAX_ATTEMPTS }),
  webhook: defineTask<RunPayload>({
    name: "syncs.webhook",
    queue: "runs",
    maxAttempts: MAX_ATTEMPTS,
  }),
  /** What a removed sync has left behind. */
  removeRecords: defineTask<{ environmentId: EnvironmentId; functionId: number }>({
    name: "syncs.remove-records",
    queue: "chores",
    maxAttempts: MAX_ATTEMPTS,
  }),
  /** What a canary that was rolled back has left behind. */
  undoCanary: defineTask<{ environmentId: EnvironmentId; canaryId: string }>({
    name: "syncs.undo-canary",
    queue: "chores",
    maxAttempts: MAX_ATTEMPTS,
  }),
};
