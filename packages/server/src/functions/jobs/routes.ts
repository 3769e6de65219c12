import type { functionJobRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { compileSource } from "./compiling/compile-source.ts";
import { type CreatedJob, createDeployment, createDryRun } from "./create-job.ts";
import { presentDeployment, presentDryRun, requireJob } from "./present-job.ts";
import { listJobs } from "./store.ts";

const DEFAULT_LIMIT = 20;

export const functionJobHandlers = {
  compileFunction: async (ctx, { body }) => {
    const slot = { integrationKey: "integration", functionName: "function" };
    let startedAt = performance.now();
    const onStart = () => {
      startedAt = performance.now();
    };
    const source = { ...slot, source: body.code };
    const { code } = await compileSource(ctx, source, { isQueued: false, onStart });
    return {
      bundle_size_bytes: Buffer.byteLength(code),
      bundled_js: code,
      compiled_at: ctx.clock.now().toISOString(),
      duration_ms: Math.round(performance.now() - startedAt),
    };
  },
  createDryRun: async (ctx, { body }) => {
    const { status: _status, ...created } = presentCreated(
      await createDryRun(ctx, {
        integrationKey: body.integration_id,
        connectionId: body.connection_id,
        functionType: body.function_type,
        code: body.code,
        hasInput: body.input !== undefined,
        input: body.input,
        variant: body.variant,
        metadata: body.metadata,
        checkpoint: body.checkpoint,
        lastSyncDate: body.last_sync_date,
      }),
    );
    return created;
  },
  getDryRun: async (ctx, { params }) =>
    await presentDryRun(ctx, await requireJob(ctx, { id: params.id, kind: "dry-run" })),
  createDeployment: async (ctx, { body }) =>
    presentCreated(
      await createDeployment(ctx, {
        integrationKey: body.integration_id,
        functionName: body.function_name,
        functionType: body.function_type,
        code: body.code,
        version: body.version,
        allowDestructive: body.allow_destructive,
      }),
    ),
  getDeployment: async (ctx, { params }) =>
    await presentDeployment(ctx, await requireJob(ctx, { id: params.id, kind: "deployment" })),
  listDeployments: async (ctx, { query }) => {
    const { page = 0, limit = DEFAULT_LIMIT } = query;
    const filter = { kind: "deployment", limit, offset: page * limit } as const;
    const jobs = await listJobs(ctx.db, ctx.environment.id, filter);
    return { data: await Promise.all(jobs.map((job) => presentDeployment(ctx, job))) };
  },
} satisfies RouteHandlers<typeof functionJobRoutes>;

function presentCreated({ id, createdAt }: CreatedJob) {
  return { id, status: "waiting" as const, created_at: createdAt.toISOString() };
}
