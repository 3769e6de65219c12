import {
  addMs,
  type ConnectionUuid,
  DAY,
  type EnvironmentContext,
  type SystemContext,
  serverState,
} from "#foundation";
import { CountBuffer } from "#foundation/db";
import type { Lease } from "../runs/begin-run.ts";
import type { RunSubject } from "../runs/run-subject.ts";
import type { RunResult } from "../sync.ts";
import { addReconciled, deleteReconciledBefore, type ReconciledCount } from "./store.ts";

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

const KEPT_MS = 90 * DAY;
/** Models of one environment that wait; what comes on top is not counted. */
const MOST_WAITING = 2000;

const buffers = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<ReconciledCount>({
      log,
      keyOf: ({ environmentId, connection, model, day }) =>
        `${environmentId} ${connection} ${day} ${model}`,
      add: (known, count) => ({
        ...known,
        brought: known.brought + count.brought,
        missed: known.missed + count.missed,
        runs: known.runs + count.runs,
      }),
      group: { of: ({ environmentId }) => environmentId, mostWaiting: MOST_WAITING },
      write: addReconciled,
      delayed: "syncs.reconciliations_delayed",
    }),
);

/**
 * Counts what a scheduled run has changed of a sync that handles webhooks: had webhooks brought it, the run would have
 * found it unchanged. Not of runs that somebody has asked for, or that began from the start.
 */
export function countMissed(
  ctx: EnvironmentContext,
  { run, sync }: Lease,
  { fn }: RunSubject,
  result: RunResult,
): void {
  if (fn.definition.webhookSubscriptions.length === 0 || sync.variant !== "base") return;
  if (run.trigger.by !== "schedule" || sync.lastSyncDate === null) return;
  for (const model of fn.definition.models) {
    const missed = changesOf(result, model);
    add(ctx, { connection: sync.connectionUuid, model, brought: 0, missed, runs: 1 });
  }
}

/** Counts what a run of a webhook has changed. */
export function countBrought(
  ctx: EnvironmentContext,
  connection: ConnectionUuid,
  result: RunResult,
): void {
  for (const model of Object.keys(result)) {
    const brought = changesOf(result, model);
    if (brought > 0) add(ctx, { connection, model, brought, missed: 0, runs: 0 });
  }
}

function changesOf(result: RunResult, model: string): number {
  const { added = 0, updated = 0, deleted = 0 } = result[model] ?? {};
  return added + updated + deleted;
}

function add(ctx: EnvironmentContext, count: Omit<ReconciledCount, "environmentId" | "day">): void {
  const day = toDay(ctx.clock.now());
  buffers.of(ctx).add(ctx.db, { ...count, environmentId: ctx.environment.id, day });
}

/** Writes what waits; called at shutdown, and before this process answers with it. */
export async function flushReconciled(ctx: Owner): Promise<void> {
  await buffers.of(ctx).flush();
}

/** Runs daily. */
export async function forgetOldReconciled(ctx: SystemContext): Promise<void> {
  await deleteReconciledBefore(ctx.db, toDay(addMs(ctx.clock.now(), -KEPT_MS)));
}

function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
