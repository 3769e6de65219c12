import { recordAudit } from "#audit";
import { getWebhookTargets } from "#environments";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { getIntegrationById, type Integration } from "#integrations";
import { recordChange } from "#logs";
import { sendWebhook } from "#webhooks-out";
import { type ReadUpload, runDeployment } from "../deploy/deploy-functions.ts";
import type { UploadedFunction } from "../deploy/read-upload.ts";
import { describeActor } from "../history/deployment.ts";
import { newDeploymentId } from "../history/record-deployment.ts";
import { canaryRolledBack } from "../hooks.ts";
import { findBundle, listAllFunctions, readDefinition } from "../store.ts";
import type { Canary, CanaryFunction } from "./canary.ts";
import { endCanaryRow, findCanary, listCanaryFunctions, lockCanary } from "./store.ts";

interface Ending {
  readonly byItself: boolean;
  readonly reason: string;
}

/** Deploys the version of a canary for all connections; throws canary_ended, and canary_not_possible where what it replaces has changed. */
export async function promoteCanary(
  ctx: EnvironmentContext,
  { id }: Pick<Canary, "id">,
  ending: Ending,
): Promise<void> {
  const deploymentId = newDeploymentId(ctx);
  const scope = { deployMode: "single", reconcile: false } as const;
  await runDeployment(ctx, { ...scope, way: "canary", id: deploymentId }, async (inner) => {
    const canary = await lockRunning(inner, id);
    const read = await readCanary(inner, canary);
    await end(inner, canary, { ...ending, state: "promoted", deploymentId });
    return read;
  });
  await ctx.failpoints.hit("canaries.promoted");
}

/** Returns the chosen connections to the deployed version; throws canary_ended. */
export async function rollBackCanary(
  ctx: EnvironmentContext,
  { id }: Pick<Canary, "id">,
  ending: Ending,
): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const canary = await lockRunning(inner, id);
    await end(inner, canary, { ...ending, state: "rolled_back", deploymentId: null });
    await inner.hooks.tell(canaryRolledBack, inner, { id });
  });
  await ctx.failpoints.hit("canaries.rolled_back");
  recordChange(ctx, {
    message: "Roll back a canary",
    meta: { canary: id, reason: ending.reason, byItself: ending.byItself },
  });
}

async function lockRunning(ctx: EnvironmentContext, id: Canary["id"]): Promise<Canary> {
  const canary = await lockCanary(ctx.db, ctx.environment.id, id);
  if (canary === undefined) throw new AppError("canary_not_found");
  if (canary.state === "running") return canary;
  const what = canary.state === "promoted" ? "promoted" : "rolled back";
  throw new AppError("canary_ended", `The canary was ${what} before.`);
}

interface WrittenEnd extends Ending {
  readonly state: "promoted" | "rolled_back";
  readonly deploymentId: string | null;
}

/** With the transaction that makes it so: the row, the webhook and, where no route was called, the audit log. */
async function end(ctx: EnvironmentContext, canary: Canary, written: WrittenEnd): Promise<void> {
  const { id } = canary;
  const { id: environmentId, accountId } = ctx.environment;
  const now = ctx.clock.now();
  const endedBy = describeActor(ctx.actor);
  await endCanaryRow(ctx.db, environmentId, { id, ...written, endedBy, now });
  await sendEnd(ctx, canary, { ...written, endedAt: now });
  if (!written.byItself) return;
  await recordAudit(ctx, {
    ...{ accountId, environmentId, via: "system", before: null },
    action: written.state === "promoted" ? "promoteCanary" : "rollBackCanary",
    actor: { kind: "system", id: null, name: null, address: null, user_agent: null },
    ...{ target: { canaryId: id }, fields: { reason: written.reason } },
    ...{ requestId: null, outcome: "done", code: null },
  });
}

async function sendEnd(
  ctx: EnvironmentContext,
  { id, chosen, startedAt }: Canary,
  { state, reason, byItself, deploymentId, endedAt }: WrittenEnd & { endedAt: Date },
): Promise<void> {
  const { settings, urls } = await getWebhookTargets(ctx);
  if (!settings.on_canary || urls.length === 0) return;
  await sendWebhook(ctx, {
    type: "canary",
    body: {
      ...{ from: "svc", type: "canary", operation: state },
      canary: {
        ...{ id, chosen_connections: chosen, reason, by_itself: byItself },
        ...{ started_at: startedAt.toISOString(), ended_at: endedAt.toISOString() },
        deployment_id: deploymentId,
      },
    },
  });
}

/** What has to be deployed; throws canary_not_possible where one of its functions was changed meanwhile. */
async function readCanary(ctx: EnvironmentContext, canary: Canary): Promise<ReadUpload> {
  const functions = await listCanaryFunctions(ctx.db, canary.id);
  const deployed = new Map(
    (await listAllFunctions(ctx.db, ctx.environment.id)).map((fn) => [
      JSON.stringify([fn.integrationId, fn.type, fn.name]),
      fn,
    ]),
  );
  const integrations = new Map<string, Integration>();
  const uploaded: UploadedFunction[] = [];
  for (const fn of functions) {
    const current = deployed.get(JSON.stringify([fn.integrationId, fn.type, fn.name]));
    const isAsBefore =
      (current?.version ?? null) === fn.baseVersion &&
      (current?.bundleSha256.equals(fn.baseSha256 ?? Buffer.alloc(0)) ?? true);
    if (!isAsBefore) {
      refuse(`The ${fn.type} ${fn.integrationKey}/${fn.name} has been changed since it started.`);
    }
    if ((await findBundle(ctx.db, ctx.environment.id, fn.bundleSha256)) === undefined) {
      refuse(`The code of ${fn.integrationKey}/${fn.name} is no longer stored.`);
    }
    const integration = await getIntegrationById(ctx, fn.integrationId);
    integrations.set(integration.uniqueKey, integration);
    uploaded.push(toUploaded(fn, integration));
  }
  return { uploaded, integrations, removed: canary.removed };
}

// The row was written of an upload of the same type.
function toUploaded(fn: CanaryFunction, { uniqueKey }: Integration): UploadedFunction {
  const { integrationId, type, name, source, definition, version, bundleSha256 } = fn;
  return {
    ...{ integrationId, integrationKey: uniqueKey, type, name, source, bundleSha256 },
    definition: readDefinition(definition),
    version: version ?? undefined,
    bundle: undefined,
  } as UploadedFunction;
}

function refuse(reason: string): never {
  throw new AppError("canary_not_possible", `The canary cannot be promoted. ${reason}`);
}

/** Throws canary_not_found. */
export async function getCanary(ctx: EnvironmentContext, id: string): Promise<Canary> {
  const found = await findCanary(ctx.db, ctx.environment.id, id);
  if (found === undefined) throw new AppError("canary_not_found");
  return found;
}
