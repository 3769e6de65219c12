import { getIntegration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import { deployUpload } from "../deploy/deploy-functions.ts";
import { planDeployment } from "../deploy/plan-deployment.ts";
import { compileSource } from "./compiling/compile-source.ts";
import { toUpload } from "./compiling/to-upload.ts";
import { requireStandalone } from "./create-job.ts";
import type { DeploymentRequest, Job, JobOutcome } from "./job.ts";
import { requireType } from "./require-type.ts";

/** Compiles and deploys one function by itself; a model that would go needs `allow_destructive`. */
export async function runDeployment(
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
