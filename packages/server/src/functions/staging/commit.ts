import { AppError, type EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import type { AppliedChange } from "../deploy/apply-changes.ts";
import { type Changes, compareFunctions } from "../deploy/compare-functions.ts";
import { runDeployment } from "../deploy/deploy-functions.ts";
import { findSilentSyncs } from "../deploy/find-silent-syncs.ts";
import { presentPlan } from "../deploy/plan-deployment.ts";
import type { UploadedFunction } from "../deploy/read-upload.ts";
import { resolveIntegrations } from "../deploy/resolve-integrations.ts";
import { findReachWarnings } from "../egress/compare-egress.ts";
import type { Revision } from "../history/deployment.ts";
import { listAllFunctions } from "../store.ts";
import { getStaged } from "./stage.ts";
import {
  deleteStaged,
  keepStagedBundles,
  listMissingBundles,
  listStagedFunctions,
} from "./store.ts";

/** What `commitStaged` would do; writes nothing. */
export async function planStaged(
  ctx: EnvironmentContext,
  id: string,
  options: Parameters<typeof presentPlan>[2] = {},
) {
  const settings = await getStaged(ctx, id);
  const { uploaded, integrations } = await readStaged(ctx, id);
  const deployed = await listAllFunctions(ctx.db, ctx.environment.id);
  const integrationIds = new Set([...integrations.values()].map((found) => found.id));
  const plan = compareFunctions(uploaded, deployed, { ...settings, integrationIds });
  const silent = findSilentSyncs(uploaded, integrations);
  const warnings = [...silent, ...findReachWarnings(plan.changes)];
  return await presentPlan(ctx, { ...plan, warnings }, options);
}

/** Deploys all that was staged, or nothing of it; afterwards it is not staged any more. */
export async function commitStaged(
  ctx: EnvironmentContext,
  id: string,
  revision?: Revision,
): Promise<AppliedChange[]> {
  const settings = await getStaged(ctx, id);
  const { results } = await runDeployment(
    ctx,
    { ...settings, way: "staged", revision },
    async (inner) => await unstage(inner, id),
  );
  return results;
}

/** What was staged, with what it would change; its bundles are stored, and it is not staged any more. */
export async function takeStaged(ctx: EnvironmentContext, id: string): Promise<Changes> {
  const settings = await getStaged(ctx, id);
  const { uploaded, integrations } = await unstage(ctx, id);
  const deployed = await listAllFunctions(ctx.db, ctx.environment.id);
  const integrationIds = new Set([...integrations.values()].map((found) => found.id));
  return compareFunctions(uploaded, deployed, { ...settings, integrationIds });
}

async function unstage(ctx: EnvironmentContext, id: string) {
  const environmentId = ctx.environment.id;
  // Once more, now that no other deployment can have committed it meanwhile.
  await getStaged(ctx, id);
  const read = await readStaged(ctx, id);
  await requireBundles(ctx, id, read.uploaded);
  await keepStagedBundles(ctx.db, environmentId, { id, now: ctx.clock.now() });
  await deleteStaged(ctx.db, environmentId, id);
  return read;
}

async function readStaged(ctx: EnvironmentContext, id: string) {
  const staged = await listStagedFunctions(ctx.db, ctx.environment.id, id);
  const keys = [...new Set(staged.map(({ integrationKey }) => integrationKey))];
  const integrations = await resolveIntegrations(ctx, {
    flowConfigs: keys.map((providerConfigKey) => ({ providerConfigKey })),
    onEventScriptsByProvider: [],
  });
  const uploaded = staged.map((row) => toUploaded(row, integrations.get(row.integrationKey)));
  return { uploaded, integrations };
}

/** Written by `stageFunctions` of what `readWithoutBundles` made; hashes do not survive JSON. */
function toUploaded(
  row: { readonly uploaded: unknown; readonly bundleSha256: Buffer },
  integration: Integration | undefined,
): UploadedFunction {
  return {
    version: undefined,
    ...Object(row.uploaded),
    integrationId: integration?.id,
    bundle: undefined,
    bundleSha256: row.bundleSha256,
  } as UploadedFunction;
}

const NAMED = 5;

async function requireBundles(
  ctx: EnvironmentContext,
  id: string,
  uploaded: readonly UploadedFunction[],
): Promise<void> {
  const hashes = uploaded.map(({ bundleSha256 }) => bundleSha256);
  const missing = await listMissingBundles(ctx.db, ctx.environment.id, { id, hashes });
  if (missing.length === 0) return;
  const lacking = new Set(missing.map((hash) => hash.toString("hex")));
  const without = uploaded.filter(({ bundleSha256 }) => lacking.has(bundleSha256.toString("hex")));
  const names = without.slice(0, NAMED).map((fn) => `${fn.integrationKey}/${fn.name}`);
  const others = without.length > NAMED ? ` and ${without.length - NAMED} more` : "";
  throw new AppError(
    "staged_deployment_incomplete",
    `Bundles were not sent for ${names.join(", ")}${others}; send them, then commit again.`,
  );
}
