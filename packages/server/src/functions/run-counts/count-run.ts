import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
  type OperationId,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer } from "#foundation/db";
import { addRunCounts, deleteRunCounts, type RunCount } from "./store.ts";

const KEPT_MS = 2 * DAY;

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<RunCount>({
      log,
      keyOf: ({ environmentId, functionId, hour }) => `${environmentId} ${functionId} ${hour}`,
      add: (known, count) => ({
        ...(known.lastAt > count.lastAt ? known : count),
        runs: known.runs + count.runs,
        failures: known.failures + count.failures,
      }),
      write: addRunCounts,
      delayed: "functions.counts_delayed",
    }),
);

/** Counts a run that ended, in the hour in which it did; nothing is written yet. */
export function countRunOf(
  ctx: EnvironmentContext,
  ended: { functionId: number; operationId: OperationId; isSuccess: boolean },
): void {
  const now = ctx.clock.now();
  const hour = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  counter.of(ctx).add(ctx.db, {
    environmentId: ctx.environment.id,
    functionId: ended.functionId,
    hour: hour.toISOString(),
    runs: 1,
    failures: ended.isSuccess ? 0 : 1,
    lastAt: now.toISOString(),
    lastSucceeded: ended.isSuccess,
    lastOperationId: ended.operationId,
  });
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushRunCounts(ctx: Owner): Promise<void> {
  await counter.of(ctx).flush();
}

/** Lists show a day; the last hour of each function stays, for its last run. */
export async function deleteOldRunCounts(ctx: SystemContext): Promise<void> {
  await deleteRunCounts(ctx.db, addMs(ctx.clock.now(), -KEPT_MS));
}
