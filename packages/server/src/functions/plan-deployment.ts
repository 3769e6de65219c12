import type { Deployment, DeploymentPlan } from "@jackfield/contract";
import { getIntegrationById } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { checkDeployment } from "./check-deployment.ts";
import { type Changes, compareFunctions } from "./compare-functions.ts";
import type { DeployedFunction, FunctionType } from "./deployed-function.ts";
import { connectionCounts } from "./hooks.ts";
import { readUpload } from "./read-upload.ts";
import { resolveIntegrations } from "./resolve-integrations.ts";
import { listAllFunctions } from "./store.ts";

interface PlannedFunction {
  readonly type: FunctionType;
  readonly name: string;
  readonly integrationId: number;
  readonly integrationKey: string;
}

/** What an upload would change; writes nothing. */
export async function compareUpload(ctx: EnvironmentContext, upload: Deployment): Promise<Changes> {
  checkDeployment(upload);
  const integrations = await resolveIntegrations(ctx, upload);
  const deployed = await listAllFunctions(ctx.db, ctx.environment.id);
  return compareFunctions(await readUpload(upload, integrations), deployed, {
    reconcile: upload.reconcile,
    deployMode: upload.deployMode,
    integrationIds: new Set([...integrations.values()].map(({ id }) => id)),
  });
}

/** What `deployFunctions` would do with the same upload; writes nothing. */
export async function planDeployment(
  ctx: EnvironmentContext,
  upload: Deployment,
): Promise<DeploymentPlan> {
  const { changes, removed, deletedModels } = await compareUpload(ctx, upload);
  const created = changes.filter(({ kind }) => kind === "new").map(({ uploaded }) => uploaded);
  const updated = changes.filter(({ kind }) => kind === "updated").map(({ uploaded }) => uploaded);
  const deleted = await withIntegrationKeys(ctx, removed);
  const integrationIds = [
    ...new Set([...created, ...updated, ...deleted].map((fn) => fn.integrationId)),
  ];
  const counts = await ctx.hooks.ask(connectionCounts, ctx, { integrationIds });
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
  return functions.map(({ type, name, integrationId }) => ({
    type,
    name,
    integrationId,
    integrationKey: keys.get(integrationId) ?? "",
  }));
}
