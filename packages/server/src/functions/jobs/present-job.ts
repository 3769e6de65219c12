import type { functionJobRoutes, RouteOutput } from "@jackfield/contract";
import { AppError, type EnvironmentContext } from "#foundation";
import { openJson } from "#vault";
import type { Job, JobKind, JobOutcome } from "./job.ts";
import { findJob } from "./store.ts";

type DryRun = RouteOutput<typeof functionJobRoutes.getDryRun>;
type DeploymentJob = RouteOutput<typeof functionJobRoutes.getDeployment>;

/** The job of that id; throws the code by which its route says that there is none. */
export async function requireJob(
  ctx: EnvironmentContext,
  { id, kind }: { id: string; kind: JobKind },
): Promise<Job> {
  const job = await findJob(ctx.db, ctx.environment.id, { id, kind });
  if (job !== undefined) return job;
  throw new AppError(kind === "dry-run" ? "dryrun_not_found" : "deployment_not_found");
}

export async function presentDryRun(ctx: EnvironmentContext, job: Job): Promise<DryRun> {
  const outcome = await readOutcome(ctx, job);
  return {
    ...presentCommon(job, outcome),
    function_type: job.functionType === "sync" ? "sync" : "action",
    source_type: job.functionType,
    ...("result" in outcome ? { result: outcome.result } : {}),
  };
}

export async function presentDeployment(ctx: EnvironmentContext, job: Job): Promise<DeploymentJob> {
  const outcome = await readOutcome(ctx, job);
  const { deployedFunctions } = outcome;
  return {
    ...presentCommon(job, outcome),
    function_name: job.functionName,
    function_type: job.functionType,
    ...(job.completedAt === null ? {} : { deployed: deployedFunctions !== undefined }),
    ...(deployedFunctions === undefined ? {} : { deployed_functions: [...deployedFunctions] }),
  };
}

function presentCommon(job: Job, { output, error }: JobOutcome) {
  const { startedAt, completedAt } = job;
  return {
    id: job.id,
    status: job.status,
    integration_id: job.integrationKey,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    ...(startedAt === null ? {} : { started_at: startedAt.toISOString() }),
    ...(completedAt === null ? {} : { completed_at: completedAt.toISOString() }),
    ...(startedAt === null || completedAt === null
      ? {}
      : { duration_ms: Math.max(0, completedAt.getTime() - startedAt.getTime()) }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  };
}

// Sealed by run-job.ts and progress.ts.
async function readOutcome(
  ctx: EnvironmentContext,
  { id, outcome, progress }: Job,
): Promise<JobOutcome> {
  const environmentId = ctx.environment.id;
  if (outcome === null && progress !== null) {
    const slot = { environmentId, table: "function_jobs", column: "progress", row: id };
    return { output: String(await openJson(ctx, slot, progress)) };
  }
  if (outcome === null) return {};
  const slot = { environmentId, table: "function_jobs", column: "outcome", row: id };
  return (await openJson(ctx, slot, outcome)) as JobOutcome;
}
