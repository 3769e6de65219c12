import type { InstallationContext } from "#platform";
import { insertJob } from "./store.ts";
import type { Task } from "./task.ts";

export interface EnqueueOptions {
  /** Work that is due later belongs into a due-time table instead (see `startDueLoop`). */
  readonly runAt?: Date;
  /** Replaces a waiting job of the same key; one that runs already stays, beside the new one. */
  readonly key?: string;
}

/** Queues in the caller's transaction: invisible until it commits, gone when it is undone. */
export async function enqueueTask<Payload>(
  ctx: Pick<InstallationContext, "db">,
  task: Task<Payload>,
  payload: Payload,
  { runAt, key }: EnqueueOptions = {},
): Promise<void> {
  const { name, maxAttempts } = task;
  await insertJob(ctx.db, { name, payload: JSON.stringify(payload), runAt, key, maxAttempts });
}
