import { type ConnectionUuid, type EnvironmentContext, serverState } from "#foundation";
import { CountBuffer } from "#foundation/db";
import type { DeployedFunction } from "../../deployed-function.ts";
import { findActiveCanary } from "../active-canary.ts";
import type { CanaryId } from "../canary.ts";
import { bucketOf } from "../histogram.ts";
import { addCanaryCounts, type CanaryCount, type MeasureName, type SideName } from "./store.ts";

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<CanaryCount>({
      log,
      keyOf: ({ canaryId, functionId, side, measure, bucket }) =>
        `${canaryId} ${functionId} ${side} ${measure} ${bucket}`,
      add: (known, { count, total }) => ({
        ...known,
        count: known.count + count,
        total: known.total + total,
      }),
      write: addCanaryCounts,
      delayed: "functions.canary_counts_delayed",
    }),
);

/** Records that a run changed. */
export interface RunChanges {
  readonly added: number;
  readonly updated: number;
  readonly deleted: number;
}

export interface CountedRun {
  readonly fn: Pick<DeployedFunction, "id" | "canaryId">;
  readonly connection: ConnectionUuid;
}

/** Counts a run that ended for the comparison, where its function is part of a canary; nothing is written yet. */
export async function countCanaryRun(
  ctx: EnvironmentContext,
  run: CountedRun,
  { isSuccess, durationMs }: { isSuccess: boolean; durationMs: number },
): Promise<void> {
  const counted = await findSide(ctx, run);
  if (counted === undefined) return;
  add(ctx, counted, "outcome", isSuccess ? 0 : 1);
  if (isSuccess) add(ctx, counted, "duration", bucketOf(durationMs), durationMs);
}

/** Counts what a successful run of a sync changed. */
export async function countCanaryChanges(
  ctx: EnvironmentContext,
  run: CountedRun,
  changes: RunChanges,
): Promise<void> {
  const counted = await findSide(ctx, run);
  if (counted === undefined) return;
  for (const { measure, bucket, total } of toCounts(changes)) {
    add(ctx, counted, measure, bucket, total);
  }
}

/** What the changes of one run add to the counts. */
export function toCounts({ added, updated, deleted }: RunChanges) {
  const isIdle = added + updated + deleted === 0;
  return [
    { measure: "added", bucket: bucketOf(added), total: added },
    { measure: "updated", bucket: bucketOf(updated), total: updated },
    { measure: "deleted", bucket: bucketOf(deleted), total: deleted },
    ...(isIdle ? [{ measure: "outcome", bucket: 2, total: 0 } as const] : []),
  ] as const;
}

interface CountedSide {
  readonly canaryId: CanaryId;
  readonly functionId: number;
  readonly side: SideName;
}

async function findSide(
  ctx: EnvironmentContext,
  { fn, connection }: CountedRun,
): Promise<CountedSide | undefined> {
  const active = await findActiveCanary(ctx);
  if (active === undefined || !active.functionIds.has(fn.id)) return undefined;
  const common = { canaryId: active.id, functionId: fn.id };
  if (fn.canaryId === active.id) return { ...common, side: "canary" };
  // Of a chosen connection it began before the canary.
  return active.connections.has(connection) ? undefined : { ...common, side: "outside" };
}

function add(
  ctx: EnvironmentContext,
  counted: CountedSide,
  measure: MeasureName,
  bucket: number,
  total = 0,
): void {
  counter.of(ctx).add(ctx.db, { ...counted, measure, bucket, count: 1, total: Math.round(total) });
}

/** Writes what has been counted; called at shutdown, and before this process compares. */
export async function flushCanaryCounts(ctx: Owner): Promise<void> {
  await counter.of(ctx).flush();
}
