import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import type { Changes } from "../deploy/compare-functions.ts";
import type { DeployedFunction } from "../deployed-function.ts";
import {
  type DeploymentId,
  type DeploymentWay,
  describeActor,
  nothingChanged,
  type PastDeployment,
  type Revision,
  summarizeChanges,
} from "./deployment.ts";
import { addKnownVersions, addVersions, insertDeployment } from "./store.ts";

/** What is known of a deployment before it begins. */
export interface DeploymentRecord {
  readonly id: DeploymentId;
  readonly way: DeploymentWay;
  readonly operationId: OperationId;
  readonly rollbackOf: DeploymentId | undefined;
  readonly revision: Revision;
}

export function newDeploymentId(ctx: EnvironmentContext): DeploymentId {
  return asDeploymentId(newTimeId<OperationId>(ctx.clock.now()));
}

/** An id of the wire, which the queries by environment check. */
export function asDeploymentId(id: string): DeploymentId {
  return id as DeploymentId;
}

/** Before anything is changed: what will be replaced must be known. */
export async function keepCurrentVersions(
  ctx: EnvironmentContext,
  { changes, removed }: Changes,
): Promise<void> {
  const replaced = changes.flatMap(({ kind, current }) =>
    kind === "updated" && current !== undefined ? [current.id] : [],
  );
  const ids = [...replaced, ...removed.map(({ id }) => id)];
  if (ids.length > 0) await addKnownVersions(ctx.db, ctx.environment.id, ids);
}

/** In the transaction of the deployment, when all is in place. */
export async function recordSuccess(
  ctx: EnvironmentContext,
  record: DeploymentRecord,
  { plan, functions }: { plan: Changes; functions: readonly DeployedFunction[] },
): Promise<void> {
  const now = ctx.clock.now();
  const changed = plan.changes.flatMap(({ kind }, index) => {
    const fn = functions[index];
    return fn === undefined || kind === "unchanged" ? [] : [{ functionId: fn.id, kind }];
  });
  const removed = plan.removed.map(({ id }) => ({ functionId: id, kind: "removed" as const }));
  const changes = [...changed, ...removed];
  const { id: environmentId } = ctx.environment;
  if (changes.length > 0) {
    await addVersions(ctx.db, environmentId, { deploymentId: record.id, changes, now });
  }
  const summary = summarizeChanges(plan);
  await insertDeployment(ctx.db, environmentId, { ...rowOf(ctx, record), summary });
}

export async function recordFailure(
  ctx: EnvironmentContext,
  record: DeploymentRecord,
  error: { type: string; message: string },
): Promise<void> {
  const row = { ...rowOf(ctx, record), state: "failed" as const, error };
  await insertDeployment(ctx.db, ctx.environment.id, row);
}

function rowOf(ctx: EnvironmentContext, record: DeploymentRecord): PastDeployment {
  return {
    id: record.id,
    way: record.way,
    state: "success",
    actor: describeActor(ctx.actor),
    summary: nothingChanged,
    error: null,
    operationId: record.operationId,
    rollbackOf: record.rollbackOf ?? null,
    ...record.revision,
    createdAt: ctx.clock.now(),
  };
}
