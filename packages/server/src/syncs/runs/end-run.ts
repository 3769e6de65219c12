import { addSyncError, clearSyncErrors } from "#connections";
import type { EnvironmentContext, OperationId } from "#foundation";
import { withTransaction } from "#foundation/db";
import { isCredentialFailure } from "#functions";
import {
  type BegunOperation,
  beginOperation,
  finishOperation,
  type OperationEnd,
  type RunTiming,
  toRunTimingMeta,
} from "#logs";
import { compareChanges } from "../canary/follow-canary.ts";
import { findCheckpoint } from "../checkpoints/store.ts";
import { resetSync } from "../control/reset-sync.ts";
import { countMissed } from "../reconciliation/count-missed.ts";
import { DUE_SYNCS } from "../schedule/due-name.ts";
import { hasNewCredentials } from "../schedule/has-new-credentials.ts";
import { nextSlotAfter, planNext } from "../schedule/next-run.ts";
import { freeSync, lockSync } from "../store.ts";
import { addResults, checkpointKey, nameInErrors, type Run, type Sync } from "../sync.ts";
import type { Lease } from "./begin-run.ts";
import { describeRun } from "./describe-run.ts";
import { endStateOfRun, type RunOutcome, runStates } from "./end-states.ts";
import type { RunSubject } from "./run-subject.ts";
import { sendSyncWebhooks } from "./send-sync-webhooks.ts";
import { endPlainRun, updateRun } from "./store.ts";

interface EndedRun {
  readonly lease: Lease;
  /** Undefined when the connection was deleted. */
  readonly subject: RunSubject | undefined;
  readonly outcome: RunOutcome;
  /** The operation, where this attempt has begun it. */
  readonly begun?: BegunOperation | undefined;
  readonly timing?: RunTiming | undefined;
}

/**
 * Writes how a run ended with all that follows from it: the date of the last sync, webhooks, the next slot or
 * the next run. False, and nothing of it, when another attempt has taken the run over.
 */
export async function endRun(ctx: EnvironmentContext, ended: EndedRun): Promise<boolean> {
  const { lease, subject, begun, timing } = ended;
  if (ended.outcome.kind === "success" && subject !== undefined) {
    await clearSyncError(ctx, lease.sync, subject);
  }
  const written =
    (begun === undefined ? undefined : await endPlainly(ctx, ended)) ??
    (await withTransaction(ctx, async (ctx) => await endInSteps(ctx, ended)));
  if (written === undefined) {
    ctx.log.warn("sync.run_superseded", { runId: lease.run.id, fence: lease.run.fence });
    return false;
  }
  const operation = begun ?? beginAgain(ctx, ended, written.operationId);
  if (operation !== undefined) {
    const meta = { ...written.end.meta, ...toRunTimingMeta(operation.id, timing) };
    finishOperation(ctx, operation, { ...written.end, meta });
  }
  if (ended.outcome.kind === "success" && subject !== undefined) {
    await compareChanges(ctx, subject, written.result);
    countMissed(ctx, lease, subject, written.result);
  }
  if (written.failedIn !== undefined) await showSyncError(ctx, lease.sync, written.failedIn);
  // Its next run, and those that have waited for its place; other processes look by themselves.
  ctx.notices.wake(DUE_SYNCS);
  return true;
}

/** What an attempt before has begun, of a run that ends before this attempt has. */
function beginAgain(
  ctx: EnvironmentContext,
  { lease, subject }: EndedRun,
  id: OperationId | null,
): BegunOperation | undefined {
  if (id === null) return undefined;
  return beginOperation(ctx, describeRun(lease, subject), { id, isAgain: true });
}

interface WrittenEnd {
  readonly end: OperationEnd;
  /** What the run changed. */
  readonly result: Run["result"];
  readonly operationId: OperationId | null;
  /** The operation of a run that failed for good, of a sync that is still there. */
  readonly failedIn?: OperationId | undefined;
}

/** The usual end, without a webhook; undefined when there is more to it. */
async function endPlainly(
  ctx: EnvironmentContext,
  { lease: { run, sync }, subject, outcome }: EndedRun,
): Promise<WrittenEnd | undefined> {
  if (outcome.kind !== "success" || subject === undefined) return undefined;
  // One of its own.
  if (subject.connection.webhookUrlOverride) return undefined;
  const now = ctx.clock.now();
  const ended = await endPlainRun(ctx.db, ctx.environment.id, {
    ...{ run, sync, now },
    lastSyncDate: run.startedAt,
    nextRunAt: nextSlotAfter(now, sync),
  });
  if (ended === undefined) return undefined;
  const end = describeEnd(ended, outcome, false);
  return { end, result: ended.result, operationId: run.operationId };
}

/** Undefined, and nothing has happened, when another attempt has taken the run over. */
async function endInSteps(
  ctx: EnvironmentContext,
  { lease, subject, outcome, begun }: EndedRun,
): Promise<WrittenEnd | undefined> {
  const environmentId = ctx.environment.id;
  const now = ctx.clock.now();
  const sync = await lockSync(ctx.db, environmentId, lease.sync.id);
  const run = await updateRun(ctx.db, environmentId, lease.run, {
    state: runStates[outcome.kind],
    endedAt: now,
    ...(outcome.kind === "failed" ? { error: outcome.error } : {}),
    // It ended before it had one.
    ...(lease.isFirst && begun === undefined ? { operationId: null } : {}),
  });
  if (sync === undefined || run === undefined) return undefined;
  const isRenewed = await hasNewCredentials(ctx, { subject, outcome });
  const next = planNext(run, sync, { outcome, now, isRenewed });
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
  const end = describeEnd(run, outcome, isRetried);
  const { operationId, result } = run;
  if (subject === undefined || isRetried || sync.deletedAt !== null) {
    return { end, result, operationId };
  }
  const failures = progress.consecutiveFailures ?? 0;
  await notifyCustomer(ctx, { run, sync, subject, outcome, failures });
  // For want of credentials it is the connection that fails, which shows that itself.
  const isOwn = outcome.kind === "failed" && !isCredentialFailure(outcome.error);
  const failedIn = failures > 0 && isOwn ? operationId : null;
  return { end, result, operationId, ...(failedIn === null ? {} : { failedIn }) };
}

/**
 * The date of the last sync. For a run that continued from where others broke off it is the start of the first of them:
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

function describeEnd(
  { result, attempts }: Pick<Run, "result" | "attempts">,
  outcome: RunOutcome,
  isRetried: boolean,
): OperationEnd {
  const meta = {
    result,
    attempts,
    ...(outcome.kind === "interrupted" && { interrupted: true }),
    ...(isRetried && { retried: true }),
  };
  const state = endStateOfRun(outcome);
  if (outcome.kind !== "failed") return { state, meta };
  const { type, message } = outcome.error;
  return { state, meta, error: { type, message } };
}

async function notifyCustomer(
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

type NamedSync = Pick<Sync, "id" | "connectionUuid" | "name" | "variant">;

/**
 * Takes the error of a sync from its connection. Before the success is written: where that then fails, an error is
 * missing until the next failure, rather than standing there for good.
 */
async function clearSyncError(
  ctx: EnvironmentContext,
  sync: NamedSync,
  { connection }: RunSubject,
): Promise<void> {
  const name = nameInErrors(sync);
  if (!connection.errors.some((error) => error.sync === name)) return;
  await clearSyncErrors(ctx, [{ connection: sync.connectionUuid, sync: name }]);
}

/**
 * Shows that a sync fails on its connection. In a transaction of its own, which locks the connection before the sync, as
 * the deletion of a connection does; a sync that was deleted meanwhile shows nothing.
 */
async function showSyncError(
  ctx: EnvironmentContext,
  sync: NamedSync,
  operationId: OperationId,
): Promise<void> {
  const failing = { connection: sync.connectionUuid, sync: nameInErrors(sync) };
  await withTransaction(ctx, async (ctx) => {
    await addSyncError(ctx, { ...failing, operationId });
    const current = await lockSync(ctx.db, ctx.environment.id, sync.id);
    const isFailing = current?.deletedAt === null && current.consecutiveFailures > 0;
    if (!isFailing) await clearSyncErrors(ctx, [failing]);
  });
}
