import { AppError, type EnvironmentContext } from "#foundation";
import { getIntegrationById, type Integration } from "#integrations";
import { type ReadUpload, runDeployment } from "../deploy/deploy-functions.ts";
import type { UploadedFunction } from "../deploy/read-upload.ts";
import type { DeployedFunction } from "../deployed-function.ts";
import { findBundle, listAllFunctions, readDefinition } from "../store.ts";
import type { DeploymentId, PastDeployment } from "./deployment.ts";
import { asDeploymentId } from "./record-deployment.ts";
import { findDeployment, listVersionsById, listVersionsOf, type VersionRow } from "./store.ts";

/**
 * Makes each function that a deployment has changed what it was before, all of them or none; throws
 * deployment_not_found, or rollback_not_possible where one has been changed since or is no longer known.
 */
export async function rollBack(ctx: EnvironmentContext, id: string): Promise<PastDeployment> {
  const deployment = await getDeployment(ctx, asDeploymentId(id));
  if (deployment.state === "failed") refuse("It failed, so that there is nothing to take back.");
  const scope = { deployMode: "single", reconcile: false } as const;
  const how = { way: "rollback", rollbackOf: deployment.id } as const;
  const { deploymentId } = await runDeployment(
    ctx,
    { ...scope, ...how },
    async (inner) => await readBefore(inner, deployment.id),
  );
  return await getDeployment(ctx, deploymentId);
}

async function getDeployment(ctx: EnvironmentContext, id: DeploymentId): Promise<PastDeployment> {
  const found = await findDeployment(ctx.db, ctx.environment.id, id);
  if (found === undefined) throw new AppError("deployment_not_found");
  return found;
}

/** What has to be deployed and removed for it; no other deployment runs meanwhile. */
async function readBefore(ctx: EnvironmentContext, id: DeploymentId): Promise<ReadUpload> {
  const { db, environment } = ctx;
  const left = await listVersionsOf(db, environment.id, id);
  if (left.length === 0) refuse("It changed nothing, or its versions are no longer kept.");
  const deployed = await listAllFunctions(db, environment.id);
  const current = new Map(deployed.map((fn) => [keyOf(fn), fn]));
  for (const version of left) requireUnchanged(version, current.get(keyOf(version)));
  const ids = left.flatMap(({ previousId }) => (previousId === null ? [] : [previousId]));
  const before = new Map(
    (await listVersionsById(db, environment.id, ids)).map((version) => [version.id, version]),
  );
  const integrations = new Map<string, Integration>();
  const uploaded: UploadedFunction[] = [];
  const removed: number[] = [];
  for (const version of left) {
    const previous = version.previousId === null ? undefined : before.get(version.previousId);
    if (version.previousId !== null && previous === undefined) {
      refuse(`The version of ${version.name} before it is no longer kept.`);
    }
    if (previous === undefined || previous.kind === "removed") {
      const fn = current.get(keyOf(version));
      if (fn !== undefined) removed.push(fn.id);
      continue;
    }
    const integration = await getIntegrationById(ctx, version.integrationId);
    integrations.set(integration.uniqueKey, integration);
    uploaded.push(await toUploaded(ctx, previous, integration));
  }
  return { uploaded, integrations, removed };
}

/** A later deployment must not be undone along the way. */
function requireUnchanged(left: VersionRow, current: DeployedFunction | undefined): void {
  const isAsLeft =
    left.kind === "removed"
      ? current === undefined
      : current !== undefined &&
        current.version === left.version &&
        left.bundleSha256 !== null &&
        current.bundleSha256.equals(left.bundleSha256);
  if (!isAsLeft) refuse(`The ${left.type} ${left.name} has been changed since.`);
}

async function toUploaded(
  ctx: EnvironmentContext,
  { integrationId, type, name, source, definition, version, bundleSha256 }: VersionRow,
  { uniqueKey: integrationKey }: Integration,
): Promise<UploadedFunction> {
  const bundle =
    bundleSha256 === null ? undefined : await findBundle(ctx.db, ctx.environment.id, bundleSha256);
  if (bundle === undefined) refuse(`The code of ${name} before it is no longer kept.`);
  return asUploaded({
    ...{ integrationId, integrationKey, type, name, source, bundleSha256 },
    definition: readDefinition(definition),
    version: version ?? undefined,
    bundle: undefined,
  });
}

// The row was written of a deployed function of the same type.
function asUploaded(row: object): UploadedFunction {
  return row as UploadedFunction;
}

function keyOf({
  integrationId,
  type,
  name,
}: Pick<DeployedFunction, "integrationId" | "type" | "name">): string {
  return JSON.stringify([integrationId, type, name]);
}

function refuse(reason: string): never {
  throw new AppError("rollback_not_possible", `The deployment cannot be rolled back. ${reason}`);
}
