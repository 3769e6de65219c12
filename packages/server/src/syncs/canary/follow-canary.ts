import { addMs, DAY, type EnvironmentContext } from "#foundation";
import {
  addCanaryCounts,
  bucketOf,
  type CanaryCount,
  type CanaryStarted,
  countCanaryChanges,
  findCachedFunctionById,
  type RunChanges,
  toCanaryCounts,
} from "#functions";
import { enqueueTask } from "#tasks";
import type { RunSubject } from "../runs/run-subject.ts";
import { noChanges, type RunResult } from "../sync.ts";
import { syncTasks } from "../tasks.ts";
import { listPastRuns } from "./store.ts";

const LOOKED_BACK_MS = 7 * DAY;

/** A canary starts: how the chosen connections ran before is what its runs are compared with. */
export async function countRunsBefore(
  ctx: EnvironmentContext,
  { id, functionIds, connections }: CanaryStarted,
): Promise<void> {
  const since = addMs(ctx.clock.now(), -LOOKED_BACK_MS);
  const past = await listPastRuns(ctx.db, ctx.environment.id, { functionIds, connections, since });
  const counts = new Map<string, Omit<CanaryCount, "canaryId">>();
  const add = (functionId: number, measure: CanaryCount["measure"], bucket: number, total = 0) => {
    const key = `${functionId} ${measure} ${bucket}`;
    const known = counts.get(key) ?? {
      ...{ functionId, measure, bucket, side: "before" as const },
      ...{ count: 0, total: 0 },
    };
    const sum = { count: known.count + 1, total: known.total + Math.round(total) };
    counts.set(key, { ...known, ...sum });
  };
  for (const { functionId, isSuccess, durationMs, result } of past) {
    add(functionId, "outcome", isSuccess ? 0 : 1);
    if (!isSuccess) continue;
    add(functionId, "duration", bucketOf(durationMs), durationMs);
    for (const { measure, bucket, total } of toCanaryCounts(sumOf(result))) {
      add(functionId, measure, bucket, total);
    }
  }
  await addCanaryCounts(
    ctx.db,
    [...counts.values()].map((count) => ({ ...count, canaryId: id })),
  );
}

/** A canary was rolled back: what it left behind is taken back in the background. */
export async function takeBackCanary(
  ctx: EnvironmentContext,
  { id: canaryId }: { readonly id: string },
): Promise<void> {
  const environmentId = ctx.environment.id;
  const payload = { environmentId, canaryId };
  await enqueueTask(ctx, syncTasks.undoCanary, payload, {
    key: `canary:${canaryId}`,
    environmentId,
  });
}

/** Counts what a run changed: of models that both versions write, since a new one is added once. */
export async function compareChanges(
  ctx: EnvironmentContext,
  { fn, connection }: RunSubject,
  result: RunResult,
): Promise<void> {
  const deployed = fn.canaryId === undefined ? fn : await findCachedFunctionById(ctx, fn.id);
  const models = deployed?.type === "sync" ? deployed.definition.models : [];
  const shared = Object.entries(result).filter(([model]) => models.includes(model));
  const run = { fn, connection: connection.uuid };
  await countCanaryChanges(ctx, run, sumOf(Object.fromEntries(shared)));
}

function sumOf(result: RunResult): RunChanges {
  return Object.values(result).reduce<RunChanges>(
    (sum, { added, updated, deleted }) => ({
      added: sum.added + added,
      updated: sum.updated + updated,
      deleted: sum.deleted + deleted,
    }),
    noChanges,
  );
}
