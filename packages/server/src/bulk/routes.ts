import type { bulkRoutes } from "@jackfield/contract";
import { AppError, type EnvironmentContext, keysetCursor } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import type { BulkJob } from "./job.ts";
import { requireActionScope, startJob } from "./start-job.ts";
import { type Failure, findBulkJob, listBulkJobs, listFailures, stopRow } from "./store.ts";

const DEFAULT_LIMIT = 50;
const MOST_FAILURES = 20;
const cursors = keysetCursor({ radix: 36, separator: "." });

export const bulkHandlers = {
  startBulkJob: async (ctx, { body }) => {
    const { matched, job } = await startJob(ctx, body);
    return { data: { matched, job: job === undefined ? null : presentJob(job, []) } };
  },
  listBulkJobs: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor } = query;
    const after = cursor === undefined ? undefined : cursors.read(cursor);
    const rows = await listBulkJobs(ctx.db, ctx.environment.id, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map((job) => presentJob(job, [])),
      next_cursor: last === undefined ? null : cursors.write(last),
    };
  },
  getBulkJob: async (ctx, { params }) => ({ data: await showJob(ctx, params.jobId) }),
  stopBulkJob: async (ctx, { params }) => {
    const job = await getJob(ctx, params.jobId);
    requireActionScope(ctx, job.action);
    await stopRow(ctx.db, ctx.environment.id, { id: job.id, now: ctx.clock.now() });
    return { data: await showJob(ctx, params.jobId) };
  },
} satisfies RouteHandlers<typeof bulkRoutes>;

async function getJob(ctx: EnvironmentContext, id: string): Promise<BulkJob> {
  const job = await findBulkJob(ctx.db, ctx.environment.id, id);
  if (job !== undefined) return job;
  throw new AppError("not_found", "No such bulk job; they are kept for 30 days.");
}

async function showJob(ctx: EnvironmentContext, id: string) {
  const job = await getJob(ctx, id);
  const wanted = { jobId: job.id, limit: MOST_FAILURES };
  return presentJob(job, await listFailures(ctx.db, ctx.environment.id, wanted));
}

function presentJob(job: BulkJob, failures: readonly Failure[]) {
  const { id, action, matched, done, failed, createdAt, stoppedAt, endedAt } = job;
  const hasEnded = endedAt === null ? ("running" as const) : ("done" as const);
  return {
    ...{ id, action, state: stoppedAt === null ? hasEnded : ("stopped" as const) },
    ...{ matched, done, failed },
    failures: failures.map(({ connectionId, sync, code, message }) => {
      return { connection_id: connectionId, sync, code, message };
    }),
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
