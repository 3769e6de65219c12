import { randomUUID } from "node:crypto";
import { getConnection } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { getIntegration, type Integration } from "#integrations";
import { enqueueKeyed } from "#tasks";
import { sealJson } from "#vault";
import type { FunctionType } from "../deployed-function.ts";
import { findFunctionByName } from "../store.ts";
import type { DeploymentRequest, DryRunRequest, JobActor, JobKind } from "./job.ts";
import { insertJob } from "./store.ts";
import { functionJobTasks } from "./tasks.ts";

const creators = { createSync: "sync", createAction: "action", createOnEvent: "on-event" } as const;

export interface CreatedJob {
  readonly id: string;
  readonly createdAt: Date;
}

/** Starts a dry run; throws integration_not_found, connection_not_found, or invalid_body for the wrong type. */
export async function createDryRun(
  ctx: EnvironmentContext,
  input: DryRunRequest & { integrationKey: string; functionType: FunctionType | undefined },
): Promise<CreatedJob> {
  const { integrationKey, functionType, ...request } = input;
  const integration = await getIntegration(ctx, integrationKey, "integration_not_found");
  const { connectionId } = request;
  await getConnection(ctx, { integration, connectionId }, "connection_not_found");
  return await createJob(ctx, {
    kind: "dry-run",
    integrationKey,
    functionName: "dry-run",
    functionType: inferType(request.code, functionType),
    request,
  });
}

/** Starts a deployment; throws integration_not_found, or invalid_request where a project owns the function. */
export async function createDeployment(
  ctx: EnvironmentContext,
  input: DeploymentRequest & {
    integrationKey: string;
    functionName: string;
    functionType: FunctionType;
  },
): Promise<CreatedJob> {
  const { integrationKey, functionName, functionType, ...request } = input;
  const integration = await getIntegration(ctx, integrationKey, "integration_not_found");
  inferType(request.code, functionType);
  await requireStandalone(ctx, integration, { name: functionName, type: functionType });
  return await createJob(ctx, {
    kind: "deployment",
    integrationKey,
    functionName,
    functionType,
    request,
  });
}

/** What a project deploys, a source text does not replace: the next deployment would undo it. */
export async function requireStandalone(
  ctx: EnvironmentContext,
  { id: integrationId }: Pick<Integration, "id">,
  { name, type }: { name: string; type: FunctionType },
): Promise<void> {
  const known = await findFunctionByName(ctx.db, ctx.environment.id, { integrationId, type, name });
  if (known === undefined || known.source === "standalone") return;
  throw new AppError(
    "invalid_request",
    `The ${type} "${name}" comes from a project; change it there, or give this one another name.`,
  );
}

async function createJob(
  ctx: EnvironmentContext,
  job: {
    kind: JobKind;
    integrationKey: string;
    functionName: string;
    functionType: FunctionType;
    request: DryRunRequest | DeploymentRequest;
  },
): Promise<CreatedJob> {
  const id = randomUUID();
  const createdAt = ctx.clock.now();
  const environmentId = ctx.environment.id;
  const slot = { environmentId, table: "function_jobs", column: "request", row: id };
  const request = await sealJson(ctx, slot, job.request);
  await withTransaction(ctx, async (inner) => {
    const row = { ...job, id, request, actor: actorOf(ctx), createdAt };
    await insertJob(inner.db, environmentId, row);
    const work = { id, environmentId, queueKey: id, payload: { environmentId, jobId: id } };
    await enqueueKeyed(inner, functionJobTasks.run, work);
  });
  return { id, createdAt };
}

function actorOf({ actor }: EnvironmentContext): JobActor {
  // A proof of identity is for the call that it came before, not for what is done later.
  if (actor.kind === "user") return { ...actor, elevatedUntil: undefined };
  if (actor.kind !== "key") throw new AppError("forbidden");
  const { keyId, keyName, accountId, scopes } = actor;
  return { keyId, accountId, scopes, ...(keyName === undefined ? {} : { keyName }) };
}

/** The kind of function that a text creates, by its calls; throws invalid_body when `wanted` is another one. */
function inferType(code: string, wanted: FunctionType | undefined): FunctionType {
  // A comment without an end takes the rest, or each of many would be looked for to the end of the text.
  const text = code.replace(/\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|^[ \t]*\/\/.*$/gm, "");
  const called = Object.entries(creators)
    .filter(([name]) => new RegExp(`\\b${name}\\s*[(<]`).test(text))
    .map(([, type]) => type);
  const types = [...new Set(called)];
  const [found = wanted] = types;
  if (found === undefined) {
    throw new AppError(
      "invalid_body",
      "code: calls none of createSync, createAction and createOnEvent; say `function_type` if it does so under another name.",
    );
  }
  if (wanted === undefined || types.length === 0 || types.includes(wanted)) return wanted ?? found;
  throw new AppError(
    "invalid_body",
    `function_type: is ${wanted}, but the code creates a function of type ${types.join(" and ")}.`,
  );
}
