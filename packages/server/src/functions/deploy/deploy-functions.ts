import type { Deployment } from "@jackfield/contract";
import { AppError, type EnvironmentContext } from "#foundation";
import { allowLongStatements, withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { beginOperation, finishOperation, logMessage } from "#logs";
import { requireNoCanary } from "../canary/require-no-canary.ts";
import { findReachWarnings } from "../egress/compare-egress.ts";
import {
  type DeploymentId,
  type DeploymentWay,
  noRevision,
  type Revision,
} from "../history/deployment.ts";
import {
  type DeploymentRecord,
  keepCurrentVersions,
  newDeploymentId,
  recordFailure,
  recordSuccess,
} from "../history/record-deployment.ts";
import { functionsDeployed } from "../hooks.ts";
import { listAllFunctions, markFunctionsDeleted, tryLockDeployment } from "../store.ts";
import { type AppliedChange, applyChanges } from "./apply-changes.ts";
import { checkDeployment, type DeploymentCodes, uploadCodes } from "./check-deployment.ts";
import { type Change, type Changes, compareFunctions } from "./compare-functions.ts";
import { findSilentSyncs } from "./find-silent-syncs.ts";
import { readUpload, type UploadedFunction } from "./read-upload.ts";
import { resolveIntegrations } from "./resolve-integrations.ts";

/** What must hold when an upload is deployed; it throws, and nothing is. */
export type DeploymentCheck = (ctx: EnvironmentContext) => Promise<void>;

/**
 * Deploys the whole upload or nothing of it; one deployment at a time, else 409 `concurrent_deployment`. `check` sees
 * what no other deployment can change before this one is made.
 */
export async function deployFunctions(
  ctx: EnvironmentContext,
  upload: Deployment,
  check?: DeploymentCheck,
  revision?: Revision,
): Promise<AppliedChange[]> {
  return (await deployUpload(ctx, upload, { way: "upload", check, revision })).results;
}

interface UploadOptions {
  readonly way: DeploymentWay;
  readonly check?: DeploymentCheck | undefined;
  /** Those of the route that was called; `uploadCodes` unless given. */
  readonly codes?: DeploymentCodes;
  readonly revision?: Revision | undefined;
}

/** As `deployFunctions`, with what it changed. */
export async function deployUpload(
  ctx: EnvironmentContext,
  upload: Deployment,
  { way, check, codes = uploadCodes, revision }: UploadOptions,
): Promise<Deployed> {
  const { deployMode, reconcile } = upload;
  return await runDeployment(ctx, { deployMode, reconcile, way, revision }, async (inner) => {
    await checkDeployment(inner, upload, codes.invalid);
    await check?.(inner);
    const integrations = await resolveIntegrations(inner, upload, codes.unknownIntegration);
    return { uploaded: await readUpload(upload, integrations), integrations };
  });
}

export interface Deployed {
  readonly deploymentId: DeploymentId;
  readonly results: AppliedChange[];
  readonly plan: Changes;
  /** What was deployed and can never take effect. */
  readonly warnings: readonly string[];
}

/** What is deployed, and every integration that it names, by key. */
export interface ReadUpload {
  readonly uploaded: readonly UploadedFunction[];
  readonly integrations: ReadonlyMap<string, Integration>;
  /** Functions that go in any case. */
  readonly removed?: readonly number[];
}

interface Scope extends Pick<Deployment, "deployMode" | "reconcile"> {
  readonly way: DeploymentWay;
  /** Where the caller has to know it before. */
  readonly id?: DeploymentId;
  readonly rollbackOf?: DeploymentId;
  readonly revision?: Revision | undefined;
}

/** One deployment of an environment at a time: what `read` brings is in place, or nothing has changed. */
export async function runDeployment(
  ctx: EnvironmentContext,
  {
    deployMode,
    reconcile,
    way,
    id = newDeploymentId(ctx),
    rollbackOf,
    revision = noRevision,
  }: Scope,
  read: (inner: EnvironmentContext) => Promise<ReadUpload>,
): Promise<Deployed> {
  allowLongStatements();
  const operation = beginOperation(ctx, {
    type: "deploy",
    action: "custom",
    message: "Deployment of functions",
    meta: { deployMode, reconcile },
  });
  const operationId = operation.id;
  const record = { id, way, operationId, rollbackOf, revision };
  try {
    const deployed = await withTransaction(ctx, async (inner) => {
      if (!(await tryLockDeployment(inner.db, inner.environment.id))) {
        throw new AppError("concurrent_deployment");
      }
      if (way !== "canary") await requireNoCanary(inner);
      return await deploy(inner, await read(inner), { deployMode, reconcile, record });
    });
    for (const message of deployed.warnings) {
      logMessage(ctx, { operationId, level: "warn", source: "internal", message });
    }
    finishOperation(ctx, operation, { state: "success", meta: summarize(deployed.plan) });
    return deployed;
  } catch (error) {
    const logged = toLoggedError(error);
    finishOperation(ctx, operation, { state: "failed", error: logged });
    await recordFailure(ctx, record, logged);
    throw error;
  }
}

async function deploy(
  ctx: EnvironmentContext,
  { uploaded, integrations, removed: named = [] }: ReadUpload,
  { record, ...scope }: Omit<Scope, "way"> & { readonly record: DeploymentRecord },
): Promise<Deployed> {
  const environmentId = ctx.environment.id;
  const deployed = await listAllFunctions(ctx.db, environmentId);
  const integrationIds = new Set([...integrations.values()].map(({ id }) => id));
  const compared = compareFunctions(uploaded, deployed, { ...scope, integrationIds });
  const alsoNamed = new Set(named);
  const alsoRemoved = deployed.filter(({ id }) => alsoNamed.has(id));
  const plan = { ...compared, removed: [...compared.removed, ...alsoRemoved] };
  await keepCurrentVersions(ctx, plan);
  const results = await applyChanges(ctx, plan.changes);
  const functions = results.map(({ fn }) => fn);
  const { removed } = plan;
  const ids = removed.map(({ id }) => id);
  await markFunctionsDeleted(ctx.db, environmentId, { ids, deletedAt: ctx.clock.now() });
  await recordSuccess(ctx, record, { plan, functions });
  await ctx.hooks.tell(functionsDeployed, ctx, { deployed: functions, removed });
  return {
    deploymentId: record.id,
    results,
    plan,
    warnings: [...findSilentSyncs(uploaded, integrations), ...findReachWarnings(plan.changes)],
  };
}

function summarize({ changes, removed }: Changes) {
  const namesOf = (wanted: Change["kind"]) =>
    changes.filter(({ kind }) => kind === wanted).map(({ uploaded }) => uploaded.name);
  return {
    created: namesOf("new"),
    updated: namesOf("updated"),
    unchanged: namesOf("unchanged").length,
    removed: removed.map(({ name }) => name),
  };
}

function toLoggedError(error: unknown): { type: string; message: string } {
  if (error instanceof AppError) return { type: error.code, message: error.message };
  return { type: "server_error", message: "The deployment failed on the server's side." };
}
