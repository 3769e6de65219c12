import type { Deployment } from "@jackfield/contract";
import type { Integration } from "#integrations";
import { finishOperation, logMessage, startOperation } from "#logs";
import { AppError, type EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { type DeployedFunction, nextVersion } from "../deployed-function.ts";
import { functionsDeployed } from "../hooks.ts";
import {
  insertBundle,
  insertFunction,
  listAllFunctions,
  markFunctionsDeleted,
  type NewFunction,
  tryLockDeployment,
  updateFunction,
} from "../store.ts";
import { checkDeployment } from "./check-deployment.ts";
import { type Change, type Changes, compareFunctions } from "./compare-functions.ts";
import { findSilentSyncs } from "./find-silent-syncs.ts";
import { readUpload, type UploadedFunction } from "./read-upload.ts";
import { resolveIntegrations } from "./resolve-integrations.ts";

export interface DeploymentResult {
  readonly fn: DeployedFunction;
  readonly integrationKey: string;
}

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
): Promise<DeploymentResult[]> {
  return (await deployUpload(ctx, upload, check)).results;
}

/** As `deployFunctions`, with what it changed. */
export async function deployUpload(
  ctx: EnvironmentContext,
  upload: Deployment,
  check?: DeploymentCheck,
): Promise<Deployed> {
  const { deployMode, reconcile } = upload;
  return await runDeployment(ctx, { deployMode, reconcile }, async (inner) => {
    checkDeployment(upload);
    await check?.(inner);
    const integrations = await resolveIntegrations(inner, upload);
    return { uploaded: await readUpload(upload, integrations), integrations };
  });
}

export interface Deployed {
  readonly results: DeploymentResult[];
  readonly plan: Changes;
  /** What was deployed and can never take effect. */
  readonly warnings: readonly string[];
}

/** What is deployed, and every integration that it names, by key. */
export interface ReadUpload {
  readonly uploaded: readonly UploadedFunction[];
  readonly integrations: ReadonlyMap<string, Integration>;
}

type Scope = Pick<Deployment, "deployMode" | "reconcile">;

/** One deployment of an environment at a time: what `read` brings is in place, or nothing has changed. */
export async function runDeployment(
  ctx: EnvironmentContext,
  { deployMode, reconcile }: Scope,
  read: (inner: EnvironmentContext) => Promise<ReadUpload>,
): Promise<Deployed> {
  const operationId = await startOperation(ctx, {
    type: "deploy",
    action: "custom",
    message: "Deployment of functions",
    meta: { deployMode, reconcile },
  });
  try {
    const deployed = await withTransaction(ctx, async (inner) => {
      if (!(await tryLockDeployment(inner.db, inner.environment.id))) {
        throw new AppError("concurrent_deployment");
      }
      return await deploy(inner, await read(inner), { deployMode, reconcile });
    });
    for (const message of deployed.warnings) {
      logMessage(ctx, { operationId, level: "warn", source: "internal", message });
    }
    await finishOperation(ctx, {
      id: operationId,
      state: "success",
      meta: summarize(deployed.plan),
    });
    return deployed;
  } catch (error) {
    await finishOperation(ctx, { id: operationId, state: "failed", error: toLoggedError(error) });
    throw error;
  }
}

async function deploy(
  ctx: EnvironmentContext,
  { uploaded, integrations }: ReadUpload,
  scope: Scope,
): Promise<Deployed> {
  const environmentId = ctx.environment.id;
  const deployed = await listAllFunctions(ctx.db, environmentId);
  const integrationIds = new Set([...integrations.values()].map(({ id }) => id));
  const plan = compareFunctions(uploaded, deployed, { ...scope, integrationIds });
  const results: DeploymentResult[] = [];
  for (const change of plan.changes) {
    const fn = await applyChange(ctx, change);
    results.push({ fn, integrationKey: change.uploaded.integrationKey });
  }
  const { removed } = plan;
  const ids = removed.map(({ id }) => id);
  await markFunctionsDeleted(ctx.db, environmentId, { ids, deletedAt: ctx.clock.now() });
  await ctx.hooks.tell(functionsDeployed, ctx, { deployed: results.map(({ fn }) => fn), removed });
  return { results, plan, warnings: findSilentSyncs(uploaded, integrations) };
}

async function applyChange(ctx: EnvironmentContext, change: Change): Promise<DeployedFunction> {
  const { uploaded, kind, current } = change;
  const environmentId = ctx.environment.id;
  if (current !== undefined && kind === "unchanged") {
    if (current.source === uploaded.source) return current;
    // Whose it is changes with who has deployed it last, and nothing else does.
    const { id, version, deployedAt } = current;
    return await updateFunction(ctx.db, environmentId, { ...uploaded, id, version, deployedAt });
  }
  const now = ctx.clock.now();
  const { bundle, bundleSha256: sha256 } = uploaded;
  if (bundle !== undefined) {
    await insertBundle(ctx.db, environmentId, { ...bundle, sha256, createdAt: now });
  }
  const row = toRow(uploaded, current, now);
  return current === undefined
    ? await insertFunction(ctx.db, environmentId, row)
    : await updateFunction(ctx.db, environmentId, { ...row, id: current.id });
}

function toRow(
  uploaded: UploadedFunction,
  current: DeployedFunction | undefined,
  deployedAt: Date,
): NewFunction {
  const version = uploaded.version ?? nextVersion(uploaded.type, current?.version);
  return { ...uploaded, version, deployedAt };
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
