import { createHash } from "node:crypto";
import { stagedDeploymentRoutes } from "@jackfield/contract";
import { exitCodes, UserError } from "../user-error.ts";
import { callPlatform, type Platform, PlatformRefusal } from "./call-platform.ts";
import type { DeploymentBody } from "./to-deployment.ts";

const { stageDeployment, stageFunctions, stageBundles } = stagedDeploymentRoutes;

/** What one request holds at most; the server takes 75 MiB and 500,000 values unless its operator says otherwise. */
const PART_BYTES = 8 * 1024 * 1024;
const PART_FUNCTIONS = 500;

interface File {
  readonly fileBody: { readonly js: string; readonly ts: string };
  readonly sourceMap?: string | undefined;
}

/** Sends a deployment in parts, and of the bundles only those that the server does not have; answers its id. */
export async function stage(
  platform: Platform,
  body: DeploymentBody,
  onProgress: (sent: number, total: number) => void,
): Promise<string> {
  const id = await begin(platform, body);
  const call = callsOf(platform, id);
  const missing = new Set<string>();
  for (const part of toParts(listFunctions(body))) {
    for (const hash of await call.sendFunctions(toFunctionsPart(part))) missing.add(hash);
  }
  const wanted = listFunctions(body).filter(({ file }) => missing.delete(hashOf(file)));
  let sent = 0;
  for (const part of toParts(wanted)) {
    onProgress(sent, wanted.length);
    await call.sendBundles(part.map(({ file }) => toBundle(file)));
    sent += part.length;
  }
  return id;
}

/** Where plan and commit of a staged deployment are. */
export function stagedPath(path: string, id: string): string {
  return path.replace("{id}", id);
}

async function begin(platform: Platform, body: DeploymentBody): Promise<string> {
  const { reconcile, deployMode } = body;
  try {
    const { id } = await callPlatform(platform, {
      path: stageDeployment.path,
      body: { reconcile, deployMode },
      answer: stageDeployment.success.schema,
      exitCode: exitCodes.notDeployed,
    });
    return id;
  } catch (error) {
    if (error instanceof PlatformRefusal && error.status === 404) {
      throw new UserError(
        "The server takes no deployment in parts, which one of this size needs: update it to this version of jackfield, or deploy integration by integration (--integration).",
        { exitCode: exitCodes.notDeployed },
      );
    }
    throw error;
  }
}

function callsOf(platform: Platform, id: string) {
  const exitCode = exitCodes.notDeployed;
  return {
    sendFunctions: async (body: unknown) => {
      const path = stagedPath(stageFunctions.path, id);
      const { schema: answer } = stageFunctions.success;
      return (await callPlatform(platform, { path, body, answer, exitCode })).missing_bundles;
    },
    sendBundles: async (bundles: unknown) => {
      const path = stagedPath(stageBundles.path, id);
      const { schema: answer } = stageBundles.success;
      await callPlatform(platform, { path, body: { bundles }, answer, exitCode });
    },
  };
}

type Flow = DeploymentBody["flowConfigs"][number];
type Script = NonNullable<DeploymentBody["onEventScriptsByProvider"]>[number]["scripts"][number];
type Listed =
  | { readonly file: File; readonly flow: Flow }
  | { readonly file: File; readonly script: Script; readonly providerConfigKey: string };

function listFunctions(body: DeploymentBody): Listed[] {
  return [
    ...body.flowConfigs.map((flow) => ({ file: flow, flow })),
    ...(body.onEventScriptsByProvider ?? []).flatMap(({ providerConfigKey, scripts }) =>
      scripts.map((script) => ({ file: script, script, providerConfigKey })),
    ),
  ];
}

function toFunctionsPart(part: readonly Listed[]) {
  return {
    flowConfigs: part.flatMap((fn) => ("flow" in fn ? [withoutFile(fn.flow)] : [])),
    onEventScriptsByProvider: part.flatMap((fn) =>
      "flow" in fn
        ? []
        : [{ providerConfigKey: fn.providerConfigKey, scripts: [withoutFile(fn.script)] }],
    ),
  };
}

function withoutFile<Described extends File>(described: Described) {
  const { fileBody: _, sourceMap: __, ...rest } = described;
  return { ...rest, bundle: hashOf(described) };
}

function toBundle({ fileBody, sourceMap }: File) {
  return { ...fileBody, ...(sourceMap !== undefined && { sourceMap }) };
}

/** As the server counts it: over all that it stores of a bundle. */
function hashOf({ fileBody, sourceMap }: File): string {
  const stored = JSON.stringify([fileBody.js, fileBody.ts, sourceMap ?? null]);
  return createHash("sha256").update(stored).digest("hex");
}

function* toParts(functions: readonly Listed[]): Generator<Listed[]> {
  let part: Listed[] = [];
  let bytes = 0;
  for (const fn of functions) {
    const size = JSON.stringify("flow" in fn ? fn.flow : fn.script).length;
    if (part.length === PART_FUNCTIONS || (part.length > 0 && bytes + size > PART_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(fn);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
