import { findEnvironment } from "#environments";
import {
  AppError,
  addMs,
  DAY,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { getIntegration } from "#integrations";
import { completeKeyed, type PayloadOf, type TaskHandlers } from "#tasks";
import { openJson, sealJson } from "#vault";
import { deployUpload } from "../deploy/deploy-functions.ts";
import { planDeployment } from "../deploy/plan-deployment.ts";
import { compileSource } from "./compiling/compile-source.ts";
import { toUpload } from "./compiling/to-upload.ts";
import { requireStandalone } from "./create-job.ts";
import type { DeploymentRequest, DryRunRequest, Job, JobError, JobOutcome } from "./job.ts";
import { requireType } from "./require-type.ts";
import { runDry } from "./run-dry.ts";
import { deleteJobsBefore, endJob, findJob, startJob } from "./store.ts";
import type { functionJobTasks } from "./tasks.ts";

const KEEP_MS = 7 * DAY;

export const functionJobTaskHandlers: TaskHandlers<typeof functionJobTasks> = {
  run: async (ctx, payload) => {
    await runJob(ctx, payload);
    await completeKeyed(ctx, payload.jobId);
  },
};

async function runJob(
  system: SystemContext,
  { environmentId, jobId: id }: PayloadOf<typeof functionJobTasks.run>,
): Promise<void> {
  const environment = await findEnvironment(system, environmentId);
  if (environment === undefined) return;
  const ctx = withEnvironment(system, environment);
  const job = await startJob(ctx.db, environmentId, { id, now: ctx.clock.now() });
  if (job === undefined) {
    await endCutOff(ctx, id);
    return;
  }
  const outcome = await perform(
    withEnvironment(
      ctx,
      environment,
      "kind" in job.actor ? job.actor : { kind: "key", ...job.actor },
    ),
    job,
  );
  await finish(ctx, id, outcome);
}

/** The worker that had begun it is gone: what the function did until then stays done, so it is not run again. */
async function endCutOff(ctx: EnvironmentContext, id: string): Promise<void> {
  const job = await findJob(ctx.db, ctx.environment.id, { id });
  if (job?.status !== "running") return;
  const message = "The server stopped in the middle of it; start it again.";
  await finish(ctx, id, { error: { code: "execution_environment_unavailable", message } });
}

async function finish(ctx: EnvironmentContext, id: string, outcome: JobOutcome): Promise<void> {
  const environmentId = ctx.environment.id;
  const slot = { environmentId, table: "function_jobs", column: "outcome", row: id };
  await endJob(ctx.db, environmentId, {
    id,
    status: outcome.error === undefined ? "success" : "failed",
    outcome: await sealJson(ctx, slot, outcome),
    now: ctx.clock.now(),
  });
}

async function perform(ctx: EnvironmentContext, job: Job): Promise<JobOutcome> {
  try {
    const request = await readRequest(ctx, job);
    return isDryRun(job, request)
      ? await runDry(ctx, job, request)
      : await runDeployment(ctx, job, request);
  } catch (error) {
    if (ctx.signal.aborted) {
      const message = "The server stopped in the middle of it; start it again.";
      return { error: { code: "execution_environment_unavailable", message } };
    }
    return { error: toJobError(ctx, job, error) };
  }
}

// Sealed by createJob as the request of the job's kind.
async function readRequest(ctx: EnvironmentContext, { id, request }: Job) {
  if (request === null) throw new Error(`job ${id} has no request`);
  const environmentId = ctx.environment.id;
  const slot = { environmentId, table: "function_jobs", column: "request", row: id };
  return (await openJson(ctx, slot, request)) as DryRunRequest | DeploymentRequest;
}

function isDryRun(
  { kind }: Job,
  request: DryRunRequest | DeploymentRequest,
): request is DryRunRequest {
  return kind === "dry-run" && "connectionId" in request;
}

function toJobError(ctx: EnvironmentContext, job: Job, error: unknown): JobError {
  if (error instanceof AppError && error.code !== "server_error") {
    const { code, message, details } = error;
    return { code, message, ...(details === undefined ? {} : { payload: details }) };
  }
  ctx.log.error("functions.job_failed", { jobId: job.id, kind: job.kind, error });
  return {
    code: "server_error",
    message: "Something failed on our side; the server's log has it.",
  };
}

/** Removes jobs that were made long ago; called every day. */
export async function deleteOldJobs(ctx: SystemContext): Promise<void> {
  await deleteJobsBefore(ctx.db, addMs(ctx.clock.now(), -KEEP_MS));
}

/** Compiles and deploys one function by itself; a model that would go needs `allow_destructive`. */
async function runDeployment(
  ctx: EnvironmentContext,
  job: Job,
  { code: source, version, allowDestructive }: DeploymentRequest,
): Promise<JobOutcome> {
  const { integrationKey, functionName, functionType } = job;
  const compiled = await compileSource(
    ctx,
    { source, integrationKey, functionName },
    { isQueued: true },
  );
  requireType(compiled, functionType);
  const upload = toUpload({ compiled, source, integrationKey, functionName, version });
  const { results, warnings } = await deployUpload(ctx, upload, {
    way: "source",
    check: async (inner) => {
      const integration = await getIntegration(inner, integrationKey);
      await requireStandalone(inner, integration, { name: functionName, type: functionType });
      if (!allowDestructive) await requireHarmless(inner, upload);
    },
  });
  const deployedFunctions = results.map(({ fn }) => ({ name: fn.name, version: fn.version }));
  const lines = results.map(
    ({ fn }) => `Deployed the ${fn.type} ${fn.name}, version ${fn.version}.`,
  );
  lines.push(...warnings.map((warning) => `Warning: ${warning}`));
  return { output: lines.join("\n"), deployedFunctions };
}

async function requireHarmless(
  ctx: EnvironmentContext,
  upload: Parameters<typeof planDeployment>[1],
): Promise<void> {
  const { deletedModels, updatedSyncs } = await planDeployment(ctx, upload);
  const connections = updatedSyncs.reduce((sum, planned) => sum + planned.connections, 0);
  if (deletedModels.length === 0 || connections === 0) return;
  throw new AppError(
    "validation_error",
    `The sync would no longer write ${deletedModels.join(", ")}, which ${connections} connections have records of. Send \`allow_destructive: true\` to deploy it all the same.`,
  );
}
