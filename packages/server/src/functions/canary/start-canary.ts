import { randomUUID } from "node:crypto";
import type { AgentHints, CanarySettings } from "@jackfield/contract";
import { AppError, addMs, DAY, type EnvironmentContext, MINUTE } from "#foundation";
import { allowLongStatements, withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { notifyDue } from "#tasks";
import type { Change } from "../deploy/compare-functions.ts";
import { nextVersion } from "../deployed-function.ts";
import { describeActor } from "../history/deployment.ts";
import { canaryStarted } from "../hooks.ts";
import { flushRunCounts } from "../run-counts/count-run.ts";
import { listRunSums } from "../run-counts/store.ts";
import { takeStaged } from "../staging/commit.ts";
import { tryLockDeployment } from "../store.ts";
import { CANARIES, type Canary, type CanaryFunction, type CanaryId } from "./canary.ts";
import { chooseConnections } from "./choose-connections.ts";
import { addCanaryCounts } from "./counts/store.ts";
import { requireNoCanary } from "./require-no-canary.ts";
import { findCanary, insertCanary } from "./store.ts";

/**
 * Lets some connections run what was staged; afterwards it is not staged any more. What is new or removed waits for the
 * promotion. Throws canary_running, and canary_not_possible.
 */
export async function startCanary(
  ctx: EnvironmentContext,
  stagedId: string,
  settings: CanarySettings,
): Promise<Canary> {
  await flushRunCounts(ctx);
  const id = asCanaryId(randomUUID());
  allowLongStatements();
  await withTransaction(ctx, async (ctx) => {
    const environmentId = ctx.environment.id;
    if (!(await tryLockDeployment(ctx.db, environmentId))) {
      throw new AppError("concurrent_deployment");
    }
    await requireNoCanary(ctx);
    const plan = await takeStaged(ctx, stagedId);
    const updated = plan.changes.filter(({ kind }) => kind === "updated");
    if (updated.length === 0) {
      throw new AppError(
        "canary_not_possible",
        "No deployed function changes, so that there is nothing to compare: deploy without a canary.",
      );
    }
    requireSafe(updated);
    const integrationIds = [...new Set(updated.map(({ uploaded }) => uploaded.integrationId))];
    const connections = await chooseConnections(ctx, integrationIds, settings.connections);
    const startedAt = ctx.clock.now();
    await insertCanary(ctx.db, {
      canary: {
        ...{ id, environmentId, state: "running", settings, actor: describeActor(ctx.actor) },
        removed: plan.removed.map((fn) => fn.id),
        deletedModels: plan.deletedModels,
        ...{ startedAt, endsAt: addMs(startedAt, settings.minutes * MINUTE) },
      },
      functions: plan.changes.filter(({ kind }) => kind !== "unchanged").map(toFunction),
      connections,
    });
    const functionIds = updated.flatMap(({ current }) => current?.id ?? []);
    await countHistory(ctx, id, functionIds);
    await ctx.hooks.tell(canaryStarted, ctx, { id, functionIds, connections });
    await notifyDue(ctx, CANARIES);
  });
  await ctx.failpoints.hit("canaries.started");
  recordChange(ctx, { message: "Start a canary", meta: { canary: id } });
  const started = await findCanary(ctx.db, ctx.environment.id, id);
  if (started === undefined) throw new Error("the canary was not written");
  return started;
}

/** How the deployed versions ran in the last day, for all connections. */
async function countHistory(
  ctx: EnvironmentContext,
  canaryId: CanaryId,
  functionIds: readonly number[],
): Promise<void> {
  const since = addMs(ctx.clock.now(), -DAY);
  const sums = await listRunSums(ctx.db, ctx.environment.id, { functionIds, since });
  const counts = sums.flatMap(({ functionId, runs, failures }) => {
    const common = { canaryId, functionId, side: "history", measure: "outcome", total: 0 } as const;
    return [
      { ...common, bucket: 0, count: runs - failures },
      { ...common, bucket: 1, count: failures },
    ];
  });
  await addCanaryCounts(
    ctx.db,
    counts.filter(({ count }) => count > 0),
  );
}

const severity = { read: 0, write: 1, destructive: 2 } as const;

/** Toolsets and approvals judge an action by the deployed version. */
function requireSafe(updated: readonly Change[]): void {
  for (const { uploaded, current } of updated) {
    if (uploaded.type !== "action" || current?.type !== "action") continue;
    const effectOf = (agent: AgentHints | undefined) => severity[agent?.effect ?? "write"];
    if (effectOf(uploaded.definition.agent) <= effectOf(current.definition.agent)) continue;
    throw new AppError(
      "canary_not_possible",
      `The effect of ${uploaded.integrationKey}/${uploaded.name} for agents grows, which toolsets have to allow first: deploy it without a canary.`,
    );
  }
}

function toFunction({ uploaded, current }: Change): CanaryFunction {
  const { integrationId, integrationKey, type, name, source, definition, bundleSha256 } = uploaded;
  return {
    functionId: current?.id ?? null,
    ...{ integrationId, integrationKey, type, name, source, definition, bundleSha256 },
    version: uploaded.version ?? nextVersion(type, current?.version),
    baseVersion: current?.version ?? null,
    baseSha256: current?.bundleSha256 ?? null,
  };
}

/** An id of the wire, which the queries by environment check. */
export function asCanaryId(id: string): CanaryId {
  return id as CanaryId;
}
