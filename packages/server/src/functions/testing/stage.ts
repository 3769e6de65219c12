import { type CanarySettings, canaryRoutes, type Deployment } from "@jackfield/contract";
import type * as z from "zod";
import type { EnvironmentContext } from "#platform";
import { canaryHandlers } from "../canary/routes.ts";
import { hashBundle } from "../hashing/hash-bundle.ts";
import { stageBundles, stageDeployment, stageFunctions } from "../staging/stage.ts";

const { body } = canaryRoutes.startCanary;

/** Stages an upload as the command line does; answers its id. */
async function stageUpload(ctx: EnvironmentContext, upload: Deployment): Promise<string> {
  const { reconcile, deployMode, source } = upload;
  const { id } = await stageDeployment(ctx, { reconcile, deployMode, source });
  const bundles = upload.flowConfigs.map(({ fileBody, sourceMap }) => ({ ...fileBody, sourceMap }));
  const flowConfigs = upload.flowConfigs.map(({ fileBody, sourceMap, ...flow }) => {
    const bundle = hashBundle({ code: fileBody.js, source: fileBody.ts, sourceMap });
    return { ...flow, bundle: bundle.toString("hex") };
  });
  await stageFunctions(ctx, id, { flowConfigs, onEventScriptsByProvider: [] });
  await stageBundles(ctx, id, bundles);
  return id;
}

/** Lets some connections run an upload. */
export async function startTestCanary(
  ctx: EnvironmentContext,
  upload: Deployment,
  settings: z.input<typeof body>,
) {
  const parsed: CanarySettings = body.parse(settings);
  const id = await stageUpload(ctx, upload);
  const given = { headers: undefined, query: undefined, params: { id }, body: parsed };
  return (await canaryHandlers.startCanary(ctx, given)).data;
}

function onOne(canaryId: string) {
  return { headers: undefined, query: undefined, params: { canaryId }, body: undefined };
}

export async function readCanary(ctx: EnvironmentContext, id: string) {
  return (await canaryHandlers.getCanary(ctx, onOne(id))).data;
}

export async function promoteByHand(ctx: EnvironmentContext, id: string) {
  return (await canaryHandlers.promoteCanary(ctx, onOne(id))).data;
}

export async function rollBackByHand(ctx: EnvironmentContext, id: string) {
  return (await canaryHandlers.rollBackCanary(ctx, onOne(id))).data;
}
