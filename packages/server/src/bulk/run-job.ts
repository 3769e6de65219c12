import { findEnvironment } from "#environments";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { enqueueTask, listUnqueued, type TaskHandlers } from "#tasks";
import { doItem } from "./do-item.ts";
import type { BulkJob } from "./job.ts";
import {
  deleteJobsBefore,
  endRow,
  findBulkJob,
  listOpenJobs,
  listWaitingItems,
  noteItem,
} from "./store.ts";
import { bulkTasks } from "./tasks.ts";

// So many at once, which is how often it looks whether somebody has stopped it.
const BATCH = 8;
const KEEP_MS = 30 * DAY;

export const bulkTaskHandlers: TaskHandlers<typeof bulkTasks> = {
  run: async (system, { environmentId, id }) => {
    const environment = await findEnvironment(system, environmentId);
    if (environment === undefined) return;
    let ctx = withEnvironment(system, environment);
    let job = await findBulkJob(ctx.db, environmentId, id);
    if (job !== undefined) ctx = withEnvironment(system, environment, job.actor);
    while (job !== undefined && job.endedAt === null) {
      ctx.signal.throwIfAborted();
      await doBatch(ctx, job);
      job = await findBulkJob(ctx.db, environmentId, id);
    }
  },
};

async function doBatch(ctx: EnvironmentContext, job: BulkJob): Promise<void> {
  const items = await listWaitingItems(ctx.db, job.id, BATCH);
  if (items.length === 0) {
    await endRow(ctx.db, { id: job.id, now: ctx.clock.now() });
    return;
  }
  await Promise.all(
    items.map(async (item) => {
      const error = await doItem(ctx, job, item);
      await ctx.failpoints.hit("bulk.item_done");
      await noteItem(ctx.db, job.id, { position: item.position, error });
    }),
  );
}

export function keyOf(id: string): string {
  return `bulk:${id}`;
}

/** Takes up jobs that the queue has given up, and forgets old ones; runs daily. */
export async function keepJobs(ctx: SystemContext): Promise<void> {
  await deleteJobsBefore(ctx.db, addMs(ctx.clock.now(), -KEEP_MS));
  const open = new Map((await listOpenJobs(ctx.db)).map((named) => [keyOf(named.id), named]));
  for (const key of await listUnqueued(ctx, [...open.keys()])) {
    const named = open.get(key);
    if (named === undefined) continue;
    await enqueueTask(ctx, bulkTasks.run, named, { key, environmentId: named.environmentId });
  }
}
