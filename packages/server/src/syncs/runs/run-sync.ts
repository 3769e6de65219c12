import { findCachedEnvironment } from "#environments";
import {
  type EnvironmentContext,
  type OperationId,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { runFunction } from "#functions";
import { type BegunOperation, beginOperation, newOperationId, type RunTiming } from "#logs";
import { settleTracking } from "#records";
import { enqueueTask, type PayloadOf } from "#tasks";
import { enterCanary } from "../canary/enter-canary.ts";
import { MAX_ATTEMPTS, queueTimeOf, toRunError, workerDied } from "../sync.ts";
import { syncTasks } from "../tasks.ts";
import { beginRun, type Lease } from "./begin-run.ts";
import { watchRun } from "./cancel-runs.ts";
import { describeRun } from "./describe-run.ts";
import { emptyCache, modelsOf } from "./empty-cache.ts";
import { endRun } from "./end-run.ts";
import type { RunOutcome } from "./end-states.ts";
import { findSubject, type RunSubject } from "./run-subject.ts";
import { abandonRun, isStillWanted, updateRun } from "./store.ts";

/** Share of the time after which saving a checkpoint pauses the run. */
const SOFT_SHARE = 0.8;

/** Runs a sync that was queued, to its end; when the worker stops, the run is queued again for another. */
export async function runSync(
  system: SystemContext,
  { environmentId, runId }: PayloadOf<typeof syncTasks.run>,
): Promise<void> {
  const environment = await findCachedEnvironment(system, environmentId);
  if (environment === undefined) {
    await abandonRun(system.db, environmentId, {
      id: runId,
      now: system.clock.now(),
    });
    return;
  }
  const ctx = withEnvironment(system, environment);
  const lease = await beginRun(ctx, runId);
  if (lease === undefined) return;
  const found = await findSubject(ctx, lease.run);
  const subject = found && (await enterCanary(ctx, found, { syncId: lease.sync.id }));
  const operation = new RunOperation(lease);
  const outcome =
    subject === undefined ? cancelled : await execute(ctx, { lease, subject, operation });
  if (outcome.kind === "stopped") {
    await giveBack(ctx, lease);
    return;
  }
  const isOver = await endRun(ctx, {
    lease,
    subject,
    outcome,
    begun: operation.begun,
    timing: operation.timing,
  });
  if (!isOver || outcome.kind !== "success" || subject === undefined) return;
  const { sync } = lease;
  const models = modelsOf(subject, sync);
  const by = { kind: "sync", functionId: sync.functionId } as const;
  await settleTracking(ctx, { connection: sync.connectionUuid, models, by });
}

const cancelled = { kind: "cancelled" } as const;

/** The attempt does not count; nothing of it when another has taken the run over. */
async function giveBack(ctx: EnvironmentContext, { run }: Lease): Promise<void> {
  const { id, fence, attempts } = run;
  await withTransaction(ctx, async (ctx) => {
    const change = { state: "waiting", attempts: attempts - 1 } as const;
    const waiting = await updateRun(ctx.db, ctx.environment.id, { id, fence }, change);
    if (waiting === undefined) return;
    const payload = { environmentId: ctx.environment.id, runId: id };
    await enqueueTask(ctx, syncTasks.run, payload, { key: id });
  });
}

interface ExecutedRun {
  readonly lease: Lease;
  readonly subject: RunSubject;
  readonly operation: RunOperation;
}

async function execute(
  ctx: EnvironmentContext,
  executed: ExecutedRun,
): Promise<RunOutcome | { kind: "stopped" }> {
  const { lease, subject } = executed;
  const { run } = lease;
  // Disabled since it was queued.
  if (run.cancelRequestedAt !== null || !subject.fn.enabled) return cancelled;
  if (run.attempts > MAX_ATTEMPTS) {
    return { kind: "failed", error: workerDied };
  }
  using watch = watchRun(ctx, run);
  try {
    const outcome = await runInSandbox(ctx, executed, watch.signal);
    if (outcome.kind === "done") {
      return { kind: outcome.interrupted ? "interrupted" : "success" };
    }
    // What a cancelled run writes is refused, which it may notice before we do.
    if (watch.signal.aborted || !(await isStillWanted(ctx.db, ctx.environment.id, run))) {
      return cancelled;
    }
    return ctx.signal.aborted ? { kind: "stopped" } : outcome;
  } catch (error) {
    ctx.log.error("sync.run_failed", { runId: run.id, error });
    return { kind: "failed", error: toRunError(error) };
  }
}

async function runInSandbox(
  ctx: EnvironmentContext,
  { lease, subject, operation }: ExecutedRun,
  signal: AbortSignal,
) {
  const { run, sync } = lease;
  const timeoutMs = ctx.settings.functionTimeouts.sync;
  const operationId = await operation.open(ctx, subject);
  if (run.trigger.emptyCache === true) await emptyCache(ctx, lease, subject);
  const outcome = await runFunction(ctx, {
    ...subject,
    kind: "sync",
    variant: sync.variant,
    lastSyncDate: sync.lastSyncDate ?? undefined,
    runId: run.id,
    operationId,
    queueMs: queueTimeOf(run, operationId),
    timeoutMs,
    softTimeoutMs: timeoutMs * SOFT_SHARE,
    signal,
    exclusive: true,
    syncId: sync.id,
    fence: run.fence,
  });
  operation.timing = outcome.timing;
  return outcome;
}

/** The operation of a run, which its first attempt begins. */
class RunOperation {
  /** Begun by this attempt, and perhaps not written yet. */
  begun: BegunOperation | undefined;
  /** Where the time of this attempt went. */
  timing: RunTiming | undefined;
  readonly #lease: Lease;

  constructor(lease: Lease) {
    this.#lease = lease;
  }

  async open(ctx: EnvironmentContext, subject: RunSubject): Promise<OperationId> {
    const { run, isFirst } = this.#lease;
    const operationId = run.operationId ?? newOperationId(ctx);
    if (run.operationId === null) {
      await updateRun(ctx.db, ctx.environment.id, run, { operationId });
    }
    const input = describeRun(this.#lease, subject);
    this.begun = beginOperation(ctx, input, { id: operationId, isAgain: !isFirst });
    return operationId;
  }
}
