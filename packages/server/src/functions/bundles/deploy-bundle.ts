import type { BundleChanges, FunctionBundle } from "@jackfield/contract";
import { AppError, type EnvironmentContext } from "#platform";
import type { Changes } from "../deploy/compare-functions.ts";
import { deployUpload } from "../deploy/deploy-functions.ts";
import { compareUpload, withIntegrationKeys } from "../deploy/plan-deployment.ts";
import { toDeployment } from "./to-deployment.ts";

/** Deploys a bundle of compiled functions, all or none of them. */
export async function deployBundle(
  ctx: EnvironmentContext,
  bundle: FunctionBundle,
): Promise<BundleChanges> {
  const upload = toDeployment(bundle);
  const { plan } = await withOwnCodes(
    async () => await deployUpload(ctx, upload, { way: "bundle" }),
  );
  return await presentChanges(ctx, plan);
}

/** What `deployBundle` would do; writes nothing. */
export async function previewBundle(
  ctx: EnvironmentContext,
  bundle: FunctionBundle,
): Promise<BundleChanges> {
  const upload = toDeployment(bundle);
  return await presentChanges(
    ctx,
    await withOwnCodes(async () => await compareUpload(ctx, upload)),
  );
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

/** This route names integrations in its own way. */
async function withOwnCodes<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    if (code === "unknown_provider_config") throw new AppError("integration_not_found", message);
    if (code === "invalid_body") throw new AppError("validation_error", message);
    throw error;
  }
}
