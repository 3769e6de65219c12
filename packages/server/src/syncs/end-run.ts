import type { RunError } from "@jackfield/contract/runtime";
import { finishOperation } from "#logs";
import type { EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { notifyDue } from "#tasks";
import type { Lease } from "./begin-run.ts";
import { findCheckpoint } from "./checkpoints/store.ts";
import { DUE_SYNCS } from "./due-name.ts";
import { endStateOfRun, runStates } from "./end-states.ts";
import { nextSlotAfter, planNext } from "./next-run.ts";
import { resetSync } from "./reset-sync.ts";
import type { RunSubject } from "./run-subject.ts";
import { updateRun } from "./runs/store.ts";
import { sendSyncWebhooks } from "./send-sync-webhooks.ts";
import { freeSync, lockSync } from "./store.ts";
import { addResults, checkpointKey, type Run, type Sync } from "./sync.ts";

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
 * the next run. False, and nothing of it, when another attempt has taken the run over.
 */
export async function endRun(
  ctx: EnvironmentContext,
  { lease, subject, outcome }: EndedRun,
): Promise<boolean> {
  return await withTransaction(ctx, async (ctx) => {
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
      return false;
    }
    const next = planNext(run, sync, { outcome, now });
    const isRetried = next?.followUp.by === "retry";
    const progress = isRetried ? {} : progressOf(sync, run, outcome);
    const unfinished = unfinishedAfter(sync, run, outcome);
    const isReset = next?.followUp.reset === true;
    if (isReset) await resetSync(ctx, sync);
    await freeSync(
      ctx.db,
      environmentId,
      sync.id,
      {
        ...(isReset ? { consecutiveFailures: 0 } : progress),
        unfinished,
        followUp: next === undefined ? null : { ...next.followUp, reset: false },
        nextRunAt: next?.at ?? nextSlotAfter(now, sync),
      },
      now,
    );
    await closeOperation(ctx, run, outcome, isRetried);
    await notifyDue(ctx, DUE_SYNCS);
    if (subject === undefined || isRetried || sync.deletedAt !== null) return true;
    const failures = progress.consecutiveFailures ?? 0;
    await tellCustomer(ctx, { run, sync, subject, outcome, failures });
    return true;
  });
}

/**
 * The date of the last sync. For a run that went on from where others broke off it is the start of the first of them:
 * what they had passed may have changed since.
 */
function progressOf(
  sync: Sync,
  run: Run,
  { kind }: RunOutcome,
): { consecutiveFailures?: number; lastSyncDate?: Date | null } {
  if (kind === "failed") return { consecutiveFailures: sync.consecutiveFailures + 1 };
  if (kind === "cancelled") return {};
  if (kind === "interrupted") return { consecutiveFailures: 0 };
  const { by, checkpoint = null } = run.trigger;
  const goesOn = checkpoint !== null || by === "retry" || by === "interruption";
  const since = goesOn ? sync.unfinished?.since : undefined;
  return { consecutiveFailures: 0, lastSyncDate: since ? new Date(since) : run.startedAt };
}

function unfinishedAfter(
  { unfinished }: Sync,
  { startedAt, result }: Run,
  { kind }: RunOutcome,
): Sync["unfinished"] {
  const since = unfinished?.since ?? startedAt?.toISOString();
  if (kind === "success" || since === undefined) return null;
  if (kind === "interrupted") return { since, untold: {} };
  return { since, untold: addResults(unfinished?.untold ?? {}, result) };
}

async function closeOperation(
  ctx: EnvironmentContext,
  { operationId, result, attempts }: Run,
  outcome: RunOutcome,
  isRetried: boolean,
): Promise<void> {
  if (operationId === null) return;
  const meta = {
    result,
    attempts,
    ...(outcome.kind === "interrupted" && { interrupted: true }),
    ...(isRetried && { retried: true }),
  };
  const { type, message } = outcome.kind === "failed" ? outcome.error : noError;
  await finishOperation(ctx, {
    id: operationId,
    state: endStateOfRun(outcome),
    meta,
    ...(outcome.kind === "failed" ? { error: { type, message } } : {}),
  });
}

const noError: RunError = { type: "", message: "" };

async function tellCustomer(
  ctx: EnvironmentContext,
  ended: { run: Run; sync: Sync; subject: RunSubject; outcome: RunOutcome; failures: number },
): Promise<void> {
  const { run, sync, outcome } = ended;
  if (outcome.kind === "cancelled") return;
  const place = { connection: sync.connectionUuid, key: checkpointKey(sync) };
  const { checkpoint: to } = await findCheckpoint(ctx.db, ctx.environment.id, place);
  const checkpoints = { from: run.trigger.checkpoint ?? null, to };
  const error = outcome.kind === "failed" ? outcome.error : undefined;
  await sendSyncWebhooks(ctx, { ...ended, checkpoints, error });
}
