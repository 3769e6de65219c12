import type { Deployment, DeploymentPlan } from "@jackfield/contract";
import { countConnections } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { getIntegrationById } from "#integrations";
import type { DeployedFunction, FunctionType } from "../deployed-function.ts";
import { findReachWarnings } from "../egress/compare-egress.ts";
import { listImpact } from "../impact/list-impact.ts";
import { listAllFunctions } from "../store.ts";
import { checkDeployment, type DeploymentCodes, uploadCodes } from "./check-deployment.ts";
import { type Changes, compareFunctions } from "./compare-functions.ts";
import { findSilentSyncs } from "./find-silent-syncs.ts";
import type { PlannedFunction } from "./planned-function.ts";
import { readUpload } from "./read-upload.ts";
import { resolveIntegrations } from "./resolve-integrations.ts";

/** What an upload would change, and what it says that can never take effect; writes nothing. */
export async function compareUpload(
  ctx: EnvironmentContext,
  upload: Deployment,
  codes: DeploymentCodes = uploadCodes,
): Promise<Changes & { readonly warnings: readonly string[] }> {
  await checkDeployment(ctx, upload, codes.invalid);
  const integrations = await resolveIntegrations(ctx, upload, codes.unknownIntegration);
  const uploaded = await readUpload(upload, integrations);
  const deployed = await listAllFunctions(ctx.db, ctx.environment.id);
  const changes = compareFunctions(uploaded, deployed, {
    reconcile: upload.reconcile,
    deployMode: upload.deployMode,
    integrationIds: new Set([...integrations.values()].map(({ id }) => id)),
  });
  const silent = findSilentSyncs(uploaded, integrations);
  return { ...changes, warnings: [...silent, ...findReachWarnings(changes.changes)] };
}

/**
 * What `deployFunctions` would do with the same upload; writes nothing. Removals are listed whether the upload says
 * `reconcile` or not: the command line of the compatible platform asks without it, and deploys with it.
 */
export async function planDeployment(
  ctx: EnvironmentContext,
  upload: Deployment,
  options: PlanOptions = {},
): Promise<DeploymentPlan> {
  return await presentPlan(ctx, await compareUpload(ctx, { ...upload, reconcile: true }), options);
}

interface PlanOptions {
  /** With what each change means to those who call the function, or read what it writes. */
  readonly details?: "true" | "false" | undefined;
}

export async function presentPlan(
  ctx: EnvironmentContext,
  planned: Changes & { readonly warnings: readonly string[] },
  { details }: PlanOptions = {},
): Promise<DeploymentPlan> {
  const { changes, removed, deletedModels, warnings } = planned;
  const created = changes.filter(({ kind }) => kind === "new").map(({ uploaded }) => uploaded);
  const updated = changes.filter(({ kind }) => kind === "updated").map(({ uploaded }) => uploaded);
  const deleted = await withIntegrationKeys(ctx, removed);
  const integrationIds = [
    ...new Set([...created, ...updated, ...deleted].map((fn) => fn.integrationId)),
  ];
  const counts = await countConnections(ctx, { integrationIds });
  const present = (functions: readonly PlannedFunction[], type: FunctionType) =>
    functions
      .filter((fn) => fn.type === type)
      .map(({ name, integrationKey, integrationId }) => ({
        name,
        providerConfigKey: integrationKey,
        connections: counts.get(integrationId) ?? 0,
      }));
  return {
    newSyncs: present(created, "sync"),
    updatedSyncs: present(updated, "sync"),
    deletedSyncs: present(deleted, "sync"),
    newActions: present(created, "action"),
    updatedActions: present(updated, "action"),
    deletedActions: present(deleted, "action"),
    newOnEventScripts: present(created, "on-event"),
    updatedOnEventScripts: present(updated, "on-event"),
    deletedOnEventScripts: present(deleted, "on-event"),
    deletedModels: [...deletedModels],
    // Command lines of earlier releases do not know the field.
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(details === "true" && { impact: await listImpact(ctx, { changes, deleted, counts }) }),
  };
}

/** Functions with the keys of their integrations, by which callers know these. */
export async function withIntegrationKeys(
  ctx: EnvironmentContext,
  functions: readonly DeployedFunction[],
): Promise<PlannedFunction[]> {
  const keys = new Map<number, string>();
  for (const { integrationId } of functions) {
    if (keys.has(integrationId)) continue;
    keys.set(integrationId, (await getIntegrationById(ctx, integrationId)).uniqueKey);
  }
  return functions.map(({ id, type, name, integrationId }) => ({
    id,
    type,
    name,
    integrationId,
    integrationKey: keys.get(integrationId) ?? "",
  }));
}
