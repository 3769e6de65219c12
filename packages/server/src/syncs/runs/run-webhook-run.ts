import { subjectOf } from "#connections";
import { findCachedEnvironment } from "#environments";
import {
  type EnvironmentContext,
  type OperationId,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { runFunction } from "#functions";
import {
  beginOperation,
  finishOperation,
  newOperationId,
  type RunTiming,
  toRunTimingMeta,
} from "#logs";
import { settleTracking } from "#records";
import { completeKeyed, type PayloadOf, postponeKeyed } from "#tasks";
import { enterCanary } from "../canary/enter-canary.ts";
import { type CheckpointPlace, findCheckpoint } from "../checkpoints/store.ts";
import { countBrought } from "../reconciliation/count-missed.ts";
import { listSyncs } from "../store.ts";
import {
  checkpointKey,
  MAX_ATTEMPTS,
  queueTimeOf,
  type Run,
  toRunError,
  workerDied,
} from "../sync.ts";
import type { syncTasks } from "../tasks.ts";
import { openPayload } from "../webhooks/payload.ts";
import { beginWebhookRun, dropInput } from "../webhooks/store.ts";
import { watchRun } from "./cancel-runs.ts";
import type { RunOutcome } from "./end-states.ts";
import { endStateOfRun, runStates } from "./end-states.ts";
import { findSubject, type RunSubject } from "./run-subject.ts";
import { sendSyncWebhooks } from "./send-sync-webhooks.ts";
import { isStillWanted, updateRun } from "./store.ts";

type WebhookRun = Run & { readonly inputId: string | null };

/** Runs `onWebhook` for a webhook that was queued, to its end; a failure of the function is not repeated. */
export async function runWebhookRun(
  system: SystemContext,
  { environmentId, runId }: PayloadOf<typeof syncTasks.webhook>,
): Promise<void> {
  const environment = await findCachedEnvironment(system, environmentId);
  if (environment === undefined) return await completeKeyed(system, runId);
  const ctx = withEnvironment(system, environment);
  const run = await beginWebhookRun(ctx.db, environmentId, { runId, now: ctx.clock.now() });
  if (run === undefined) return await completeKeyed(ctx, runId);
  const subject = await findReceiver(ctx, run);
  const outcome = subject === undefined ? CANCELLED : await execute(ctx, run, subject);
  if (outcome.kind === "stopped") await giveBack(ctx, run);
  else await endWebhookRun(ctx, { run, subject, outcome });
}

const CANCELLED = { kind: "cancelled" } as const;

/** Undefined when the connection or its sync has gone, or the function was disabled. */
async function findReceiver(ctx: EnvironmentContext, run: Run): Promise<RunSubject | undefined> {
  const subject = await findSubject(ctx, run);
  if (subject?.fn.enabled !== true) return undefined;
  const filter = { functionIds: [run.functionId], connections: [run.connectionUuid] };
  const syncs = await listSyncs(ctx.db, ctx.environment.id, filter);
  const base = syncs.find(({ variant }) => variant === "base");
  return base && (await enterCanary(ctx, subject, { syncId: base.id, byWebhook: true }));
}

interface Timed {
  readonly timing?: RunTiming;
}

async function execute(
  ctx: EnvironmentContext,
  run: WebhookRun,
  subject: RunSubject,
): Promise<(RunOutcome | { kind: "stopped" }) & Timed> {
  if (run.cancelRequestedAt !== null) return CANCELLED;
  if (run.attempts > MAX_ATTEMPTS) return { kind: "failed", error: workerDied };
  using watch = watchRun(ctx, run);
  try {
    const input = await openPayload(ctx, run.inputId);
    const operationId = await openOperation(ctx, run, subject);
    const outcome = await runFunction(ctx, {
      ...subject,
      kind: "webhook",
      ...(input === undefined ? {} : { input }),
      runId: run.id,
      operationId,
      queueMs: queueTimeOf(run, operationId),
      timeoutMs: ctx.settings.functionTimeouts.webhook,
      signal: watch.signal,
      exclusive: true,
      fence: run.fence,
    });
    const { timing } = outcome;
    if (outcome.kind === "done") return { kind: "success", timing };
    // What a cancelled run writes is refused, which it may notice before we do.
    if (watch.signal.aborted || !(await isStillWanted(ctx.db, ctx.environment.id, run))) {
      return { ...CANCELLED, timing };
    }
    return ctx.signal.aborted ? { kind: "stopped" } : outcome;
  } catch (error) {
    ctx.log.error("sync.webhook_failed", { runId: run.id, error });
    return { kind: "failed", error: toRunError(error) };
  }
}

/** The operation of a run, which its first attempt begins; it is shown as running while the function is. */
async function openOperation(
  ctx: EnvironmentContext,
  run: Run,
  subject: RunSubject,
): Promise<OperationId> {
  const { fn } = subject;
  const id = run.operationId ?? newOperationId(ctx);
  if (run.operationId === null) {
    const { checkpoint } = await findCheckpoint(ctx.db, ctx.environment.id, placeOf(run, fn));
    const trigger = { ...run.trigger, checkpoint };
    await updateRun(ctx.db, ctx.environment.id, run, { operationId: id, trigger });
  }
  beginOperation(ctx, describeRun(run, subject), { id, isAgain: true });
  return id;
}

function describeRun(run: Run, subject: RunSubject | undefined) {
  return {
    type: "webhook",
    action: "sync",
    message: subject === undefined ? "Webhook for a sync" : `Webhook for sync "${subject.fn.name}"`,
    ...(subject !== undefined && {
      ...subjectOf(subject.integration, subject.connection),
      function: { id: subject.fn.id, name: subject.fn.name },
    }),
    meta: { runId: run.id },
  } as const;
}

/** The worker stops: another continues, and the attempt does not count. */
async function giveBack(ctx: EnvironmentContext, { id, fence, attempts }: Run): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const change = { state: "waiting", attempts: attempts - 1 } as const;
    const run = await updateRun(ctx.db, ctx.environment.id, { id, fence }, change);
    if (run !== undefined) await postponeKeyed(ctx, id, ctx.clock.now());
  });
}

async function endWebhookRun(
  ctx: EnvironmentContext,
  ended: { run: WebhookRun; subject: RunSubject | undefined; outcome: RunOutcome & Timed },
): Promise<void> {
  const { subject, outcome } = ended;
  const error = outcome.kind === "failed" ? outcome.error : undefined;
  const over = await withTransaction(ctx, async (ctx) => {
    const environmentId = ctx.environment.id;
    const endedAt = ctx.clock.now();
    const change = { state: runStates[outcome.kind], endedAt, ...(error && { error }) };
    const run = await updateRun(ctx.db, environmentId, ended.run, change);
    if (run === undefined) return undefined;
    await dropInput(ctx.db, environmentId, ended.run);
    await completeKeyed(ctx, run.id);
    if (subject === undefined || outcome.kind === "cancelled") return run;
    const place = placeOf(run, subject.fn);
    const { checkpoint: to } = await findCheckpoint(ctx.db, environmentId, place);
    const checkpoints = { from: run.trigger.checkpoint ?? null, to };
    const sync = { name: subject.fn.name, variant: "base" };
    await sendSyncWebhooks(ctx, { run, sync, subject, error, checkpoints });
    return run;
  });
  if (over === undefined) return;
  if (subject !== undefined) countBrought(ctx, over.connectionUuid, over.result);
  if (over.operationId !== null) {
    const input = describeRun(over, subject);
    const operation = beginOperation(ctx, input, { id: over.operationId, isAgain: true });
    finishOperation(ctx, operation, {
      state: endStateOfRun(outcome),
      meta: {
        ...{ result: over.result, attempts: over.attempts },
        ...toRunTimingMeta(operation.id, outcome.timing),
      },
      ...(error && { error: { type: error.type, message: error.message } }),
    });
  }
  if (outcome.kind !== "success" || subject === undefined) return;
  const { connectionUuid: connection, functionId } = ended.run;
  const by = { kind: "webhook", functionId } as const;
  await settleTracking(ctx, { connection, models: subject.fn.definition.models, by });
}

function placeOf(
  { connectionUuid }: Run,
  { name }: Pick<RunSubject["fn"], "name">,
): CheckpointPlace {
  return { connection: connectionUuid, key: checkpointKey({ name, variant: "base" }, "webhook") };
}
