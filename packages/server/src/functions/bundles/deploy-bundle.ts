import type { BundleChanges, FunctionBundle } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import type { DeploymentCodes } from "../deploy/check-deployment.ts";
import type { Changes } from "../deploy/compare-functions.ts";
import { deployUpload } from "../deploy/deploy-functions.ts";
import { compareUpload, withIntegrationKeys } from "../deploy/plan-deployment.ts";
import { toDeployment } from "./to-deployment.ts";

/** This route has codes of its own. */
const codes: DeploymentCodes = {
  invalid: "validation_error",
  unknownIntegration: "integration_not_found",
};

/** Deploys a bundle of compiled functions, all or none of them. */
export async function deployBundle(
  ctx: EnvironmentContext,
  bundle: FunctionBundle,
): Promise<BundleChanges> {
  const upload = toDeployment(bundle);
  const { plan } = await deployUpload(ctx, upload, { way: "bundle", codes });
  return await presentChanges(ctx, plan);
}

/** What `deployBundle` would do; writes nothing. */
export async function previewBundle(
  ctx: EnvironmentContext,
  bundle: FunctionBundle,
): Promise<BundleChanges> {
  const upload = toDeployment(bundle);
  return await presentChanges(ctx, await compareUpload(ctx, upload, codes));
}

async function presentChanges(
  ctx: EnvironmentContext,
  { changes, removed }: Changes,
): Promise<BundleChanges> {
  const of = (kind: (typeof changes)[number]["kind"]) =>
    changes
      .filter((change) => change.kind === kind)
      .map(({ uploaded }) => ({ integrationId: uploaded.integrationKey, name: uploaded.name }));
  const deleted = await withIntegrationKeys(ctx, removed);
  return {
    created: of("new"),
    updated: of("updated"),
    unchanged: of("unchanged"),
    deleted: deleted.map(({ integrationKey, name }) => ({ integrationId: integrationKey, name })),
  };
}
