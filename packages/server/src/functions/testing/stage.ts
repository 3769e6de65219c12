import { type CanarySettings, canaryRoutes, type Deployment } from "@jackfield/contract";
import type * as z from "zod";
import type { EnvironmentContext } from "#foundation";
import { canaryHandlers } from "../canary/routes.ts";
import { hashBundle } from "../hashing/hash-bundle.ts";
import { stageBundles, stageDeployment, stageFunctions } from "../staging/stage.ts";

const { body } = canaryRoutes.startCanary;

/** Stages an upload as the command line does; answers its id. */
async function stageUpload(ctx: EnvironmentContext, upload: Deployment): Promise<string> {
  const { reconcile, deployMode, source } = upload;
  const { id } = await stageDeployment(ctx, { reconcile, deployMode, source });
  const { flowConfigs, onEventScriptsByProvider } = upload;
  await stageFunctions(ctx, id, {
    flowConfigs: flowConfigs.map(withHash),
    onEventScriptsByProvider: onEventScriptsByProvider.map(({ scripts, ...provider }) => ({
      ...provider,
      scripts: scripts.map(withHash),
    })),
  });
  const files = [...flowConfigs, ...onEventScriptsByProvider.flatMap(({ scripts }) => scripts)];
  const bundles = files.map(({ fileBody, sourceMap }) => ({ ...fileBody, sourceMap }));
  await stageBundles(ctx, id, bundles);
  return id;
}

interface Uploaded {
  readonly fileBody: { readonly js: string; readonly ts: string };
  readonly sourceMap?: string | undefined;
}

function withHash<Upload extends Uploaded>({ fileBody, sourceMap, ...rest }: Upload) {
  const bundle = hashBundle({ code: fileBody.js, source: fileBody.ts, sourceMap });
  return { ...rest, bundle: bundle.toString("hex") };
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
