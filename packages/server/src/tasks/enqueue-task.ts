import { randomInt } from "node:crypto";
import type { EnvironmentId, SystemContext } from "#foundation";
import { ceilingOf } from "#foundation/fair-slots";
import { insertJob, insertJobs } from "./store.ts";
import { CHORES_AT_ONCE, type Task } from "./task.ts";
import { toTracedJson } from "./traced-payload.ts";

export interface EnqueueOptions {
  /** Work that is due later belongs into a due-time table instead (see `startDueLoop`). */
  readonly runAt?: Date;
  /** Replaces a waiting job of the same key; one that runs already stays, next to the new one. */
  readonly key?: string;
  /** Whose chore it is: it shares the slots for chores with those of others. */
  readonly environmentId?: EnvironmentId;
}

/** Queues in the caller's transaction: invisible until it commits, gone when it is undone. */
export async function enqueueTask<Payload>(
  ctx: Pick<SystemContext, "db" | "settings"> & Partial<Pick<SystemContext, "trace">>,
  task: Task<Payload>,
  payload: Payload,
  { runAt, key, environmentId }: EnqueueOptions = {},
): Promise<void> {
  const { name, maxAttempts } = task;
  const chain = environmentId && chainOf(ctx, environmentId);
  const text = toTracedJson(payload, ctx.trace);
  await insertJob(ctx.db, { name, payload: text, runAt, key, maxAttempts, chain });
}

/** Queues several that are due now, as `enqueueTask` does, by one statement. */
export async function enqueueTasks<Payload>(
  ctx: Pick<SystemContext, "db" | "settings"> & Partial<Pick<SystemContext, "trace">>,
  task: Task<Payload>,
  jobs: readonly { readonly payload: Payload; readonly key?: string }[],
  { environmentId }: Pick<EnqueueOptions, "environmentId"> = {},
): Promise<void> {
  if (jobs.length === 0) return;
  await insertJobs(
    ctx.db,
    task,
    jobs.map(({ payload, key }) => ({
      payload: toTracedJson(payload, ctx.trace),
      key,
      chain: environmentId && chainOf(ctx, environmentId),
    })),
  );
}

/** The queue does the jobs of a chain one after the other: with so many chains nobody has more slots than that. */
function chainOf({ settings }: Pick<SystemContext, "settings">, id: EnvironmentId): string {
  return `${id} ${randomInt(ceilingOf(CHORES_AT_ONCE, settings.environmentShare))}`;
}
