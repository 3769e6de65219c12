import type { RunError } from "@jackfield/contract/runtime";
import { type Connection, getConnectionByUuid, subjectOf } from "#connections";
import { getEnvironment } from "#environments";
import { type DeployedSync, getFunctionById, runFunction } from "#functions";
import { getIntegrationById, type Integration } from "#integrations";
import { startOperation } from "#logs";
import {
  AppError,
  DAY,
  type Environment,
  type EnvironmentContext,
  type InstallationContext,
  type OperationId,
  withEnvironment,
} from "#platform";
import { clearRecords, storedModel } from "#records";
import type { PayloadOf } from "#tasks";
import { beginRun, type Lease } from "./begin-run.ts";
import { endRun, type RunOutcome } from "./end-run.ts";
import { watchRun } from "./runs/cancel-runs.ts";
import { updateRun } from "./runs/store.ts";
import type { syncTasks } from "./tasks.ts";

const RUN_TIMEOUT_MS = DAY;
/** Share of the time after which saving a checkpoint pauses the run (functions contract B.4). */
const SOFT_TIMEOUT_MS = RUN_TIMEOUT_MS * 0.8;
/** A death of the worker is no failure of the function until it has happened so often (decisions 71). */
const MAX_ATTEMPTS = 5;

/** What a run works on; it stays as it is while the run lasts. */
export interface RunSubject {
  readonly connection: Connection;
  readonly integration: Integration;
  readonly fn: DeployedSync;
}

/** Runs a sync that was queued, to its end; throws when the worker stops, so that another takes it over. */
export async function runSync(
  installation: InstallationContext,
  { environmentId, runId }: PayloadOf<typeof syncTasks.run>,
): Promise<void> {
  const environment = await findEnvironment(installation, environmentId);
  if (environment === undefined) return;
  const ctx = withEnvironment(installation, environment);
  const lease = await beginRun(ctx, runId);
  if (lease === undefined) return;
  const subject = await findSubject(ctx, lease);
  const outcome = subject === undefined ? cancelled : await execute(ctx, lease, subject);
  if (outcome.kind === "stopped") {
    const { id, fence, attempts } = lease.run;
    const change = { state: "waiting", attempts: attempts - 1 } as const;
    await updateRun(ctx.db, environment.id, { id, fence }, change);
    throw new Error("the worker stops; the run goes on elsewhere");
  }
  await endRun(ctx, { lease, subject, outcome });
}

const cancelled = { kind: "cancelled" } as const;

async function findEnvironment(
  ctx: InstallationContext,
  id: Environment["id"],
): Promise<Environment | undefined> {
  return await unlessGone(async () => await getEnvironment(ctx, id));
}

/** Undefined when the connection or its integration was deleted since. */
async function findSubject(
  ctx: EnvironmentContext,
  { run }: Lease,
): Promise<RunSubject | undefined> {
  return await unlessGone(async () => {
    const connection = await getConnectionByUuid(ctx, run.connectionUuid);
    const integration = await getIntegrationById(ctx, connection.integrationId);
    const fn = await getFunctionById(ctx, run.functionId);
    return fn.type === "sync" ? { connection, integration, fn } : undefined;
  });
}

async function unlessGone<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
}

async function execute(
  ctx: EnvironmentContext,
  lease: Lease,
  subject: RunSubject,
): Promise<RunOutcome | { kind: "stopped" }> {
  const { run } = lease;
  if (run.cancelRequestedAt !== null) return cancelled;
  if (run.attempts > MAX_ATTEMPTS) {
    const message = `The process that ran this sync ended unexpectedly ${MAX_ATTEMPTS} times.`;
    return { kind: "failed", error: { type: "function_runtime_other", message } };
  }
  using watch = watchRun(ctx, run);
  try {
    const outcome = await runInSandbox(ctx, { lease, subject, signal: watch.signal });
    if (outcome.kind === "done") {
      return { kind: outcome.interrupted ? "interrupted" : "success" };
    }
    if (watch.signal.aborted) return cancelled;
    return ctx.signal.aborted ? { kind: "stopped" } : outcome;
  } catch (error) {
    ctx.log.error("sync.run_failed", { runId: run.id, error });
    return { kind: "failed", error: toRunError(error) };
  }
}

async function runInSandbox(
  ctx: EnvironmentContext,
  { lease, subject, signal }: { lease: Lease; subject: RunSubject; signal: AbortSignal },
) {
  const { run, sync } = lease;
  const operationId = run.operationId ?? (await openOperation(ctx, lease, subject));
  if (run.trigger.emptyCache === true) await emptyCache(ctx, lease, subject);
  return await runFunction(ctx, {
    ...subject,
    kind: "sync",
    variant: sync.variant,
    lastSyncDate: sync.lastSyncDate ?? undefined,
    runId: run.id,
    operationId,
    timeoutMs: RUN_TIMEOUT_MS,
    softTimeoutMs: SOFT_TIMEOUT_MS,
    signal,
    exclusive: true,
    syncId: sync.id,
    fence: run.fence,
  });
}

async function openOperation(
  ctx: EnvironmentContext,
  { run, sync }: Lease,
  { connection, integration, fn }: RunSubject,
): Promise<OperationId> {
  const operationId = await startOperation(ctx, {
    type: "sync",
    action: "run",
    message: `Run of sync "${sync.name}"`,
    ...subjectOf(integration, connection),
    function: { id: fn.id, name: fn.name },
    meta: { runId: run.id, variant: sync.variant, trigger: run.trigger.by },
  });
  await updateRun(ctx.db, ctx.environment.id, run, { operationId });
  return operationId;
}

/** Done once: a later attempt goes on with what this one has saved. */
async function emptyCache(ctx: EnvironmentContext, { run, sync }: Lease, { fn }: RunSubject) {
  const models = fn.definition.models.map((model) => storedModel(model, sync.variant));
  await clearRecords(ctx, { connection: sync.connectionUuid, models });
  const trigger = { ...run.trigger, emptyCache: false };
  await updateRun(ctx.db, ctx.environment.id, run, { trigger });
}

function toRunError(thrown: unknown): RunError {
  if (thrown instanceof AppError) return { type: thrown.code, message: thrown.message };
  return {
    type: "server_error",
    message: "Something failed on our side; the server's log has it.",
  };
}
