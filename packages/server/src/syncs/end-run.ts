import type { RunError } from "@jackfield/contract/runtime";
import { endStateOf } from "#functions";
import { finishOperation } from "#logs";
import type { EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import type { Lease } from "./begin-run.ts";
import { findCheckpoint } from "./checkpoints/store.ts";
import { dueSyncs } from "./due-syncs.ts";
import { resetSync } from "./reset-sync.ts";
import type { RunSubject } from "./run-sync.ts";
import { startRuns } from "./runs/start-runs.ts";
import { updateRun } from "./runs/store.ts";
import { sendSyncWebhooks } from "./send-sync-webhooks.ts";
import { freeSync, lockSync } from "./store.ts";
import { checkpointKey, type Run, type RunCause, type Sync } from "./sync.ts";

export type RunOutcome =
  | { readonly kind: "success" | "interrupted" | "cancelled" }
  | { readonly kind: "failed"; readonly error: RunError };

interface EndedRun {
  readonly lease: Lease;
  /** Undefined when the connection was deleted. */
  readonly subject: RunSubject | undefined;
  readonly outcome: RunOutcome;
}

/**
 * Writes how a run ended with all that follows from it: the date of the last sync, webhooks, the next slot or
 * the next run. Nothing of it when another attempt has taken the run over.
 */
export async function endRun(
  ctx: EnvironmentContext,
  { lease, subject, outcome }: EndedRun,
): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const environmentId = ctx.environment.id;
    const now = ctx.clock.now();
    const sync = await lockSync(ctx.db, environmentId, lease.sync.id);
    const run = await updateRun(ctx.db, environmentId, lease.run, {
      state: runStates[outcome.kind],
      endedAt: now,
      ...(outcome.kind === "failed" ? { error: outcome.error } : {}),
    });
    if (sync === undefined || run === undefined) {
      ctx.log.warn("sync.run_superseded", { runId: lease.run.id, fence: lease.run.fence });
      return;
    }
    await freeSync(ctx.db, environmentId, sync.id, scheduleChange(sync, run, outcome), now);
    await closeOperation(ctx, run, outcome);
    if (sync.deletedAt !== null) return;
    if (subject !== undefined) await tellCustomer(ctx, { run, sync, subject, outcome });
    await startNext(ctx, { run, sync, outcome });
  });
}

const runStates = {
  success: "success",
  interrupted: "success",
  cancelled: "cancelled",
  failed: "failed",
} as const;

/** The date of the last sync is the start of its first run, so that nothing changed since is passed over. */
function scheduleChange(sync: Sync, run: Run, { kind }: RunOutcome) {
  if (kind === "failed") return { consecutiveFailures: sync.consecutiveFailures + 1 };
  if (kind === "cancelled") return {};
  if (kind === "interrupted") return { consecutiveFailures: 0 };
  const { continuedFrom } = run.trigger;
  const lastSyncDate = continuedFrom === undefined ? run.startedAt : new Date(continuedFrom);
  return { consecutiveFailures: 0, lastSyncDate };
}

async function closeOperation(
  ctx: EnvironmentContext,
  { operationId, result, attempts }: Run,
  outcome: RunOutcome,
): Promise<void> {
  if (operationId === null) return;
  const meta = { result, attempts, ...(outcome.kind === "interrupted" && { interrupted: true }) };
  const { type, message } = outcome.kind === "failed" ? outcome.error : noError;
  await finishOperation(ctx, {
    id: operationId,
    state: outcome.kind === "failed" ? endStateOf(outcome.error) : runStates[outcome.kind],
    meta,
    ...(outcome.kind === "failed" ? { error: { type, message } } : {}),
  });
}

const noError: RunError = { type: "", message: "" };

async function tellCustomer(
  ctx: EnvironmentContext,
  ended: { run: Run; sync: Sync; subject: RunSubject; outcome: RunOutcome },
): Promise<void> {
  const { run, sync, outcome } = ended;
  if (outcome.kind === "cancelled") return;
  const place = { connection: sync.connectionUuid, key: checkpointKey(sync) };
  const { checkpoint: to } = await findCheckpoint(ctx.db, ctx.environment.id, place);
  const checkpoints = { from: run.trigger.checkpoint ?? null, to };
  const error = outcome.kind === "failed" ? outcome.error : undefined;
  await sendSyncWebhooks(ctx, { ...ended, checkpoints, error });
}

/** A trigger that came meanwhile has its run now; a run that paused itself goes on. */
async function startNext(
  ctx: EnvironmentContext,
  { run, sync, outcome }: { run: Run; sync: Sync; outcome: RunOutcome },
): Promise<void> {
  const next = nextCause(run, sync, outcome);
  if (next === undefined) {
    await notifyDue(ctx, dueSyncs.name);
    return;
  }
  const fresh = sync.followUp?.reset === true ? await resetSync(ctx, sync) : sync;
  const current = await lockSync(ctx.db, ctx.environment.id, fresh.id);
  if (current !== undefined) await startRuns(ctx, [current], next);
}

function nextCause(run: Run, sync: Sync, outcome: RunOutcome): RunCause | undefined {
  const continued = run.trigger.continuedFrom ?? run.startedAt?.toISOString();
  const continuation =
    outcome.kind === "interrupted" && run.cancelRequestedAt === null && continued !== undefined
      ? { continuedFrom: continued }
      : undefined;
  if (sync.followUp !== null) {
    const { reset, emptyCache } = sync.followUp;
    return { by: "trigger", emptyCache: reset && emptyCache, ...(reset ? {} : continuation) };
  }
  return continuation === undefined ? undefined : { by: "interruption", ...continuation };
}
