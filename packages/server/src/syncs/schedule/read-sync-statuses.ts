import type { RouteOutput, syncRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { countRecords, storedModel } from "#records";
import { listCheckpoints } from "../checkpoints/store.ts";
import {
  findTarget,
  pagesOfTarget,
  type SyncTarget,
  type TargetFunctions,
} from "../control/find-target-syncs.ts";
import { listLatestRuns } from "../runs/store.ts";
import type { NamedSync } from "../store.ts";
import { checkpointKey, MANY_FAILURES, type Run, type RunResult } from "../sync.ts";

type SyncStatus = RouteOutput<typeof syncRoutes.getSyncStatus>["syncs"][number];

/** Of which the schedules are read together: a few thousand bytes each. */
const CONNECTIONS_AT_ONCE = 500;

/** The states of the syncs named, in the form of GET /sync/status, a page of connections at a time. */
export async function* readSyncStatuses(
  ctx: EnvironmentContext,
  target: SyncTarget,
): AsyncGenerator<SyncStatus[], undefined> {
  const found = await findTarget(ctx, target);
  for await (const syncs of pagesOfTarget(ctx, found, CONNECTIONS_AT_ONCE)) {
    yield await presentPage(ctx, { syncs, functions: found.functions });
  }
}

async function presentPage(
  ctx: EnvironmentContext,
  { syncs, functions }: { syncs: readonly NamedSync[]; functions: TargetFunctions },
): Promise<SyncStatus[]> {
  const { id: environmentId } = ctx.environment;
  const ids = syncs.map(({ id }) => id);
  const connections = [...new Set(syncs.map(({ connectionUuid }) => connectionUuid))];
  const keys = [...new Set(syncs.map((sync) => checkpointKey(sync)))];
  const [runs, checkpoints, counts] = await Promise.all([
    listLatestRuns(ctx.db, environmentId, ids),
    listCheckpoints(ctx.db, environmentId, connections, keys),
    countRecords(ctx, { connections }),
  ]);
  const runOf = new Map(runs.map((run) => [run.syncId, run]));
  const checkpointOf = new Map(
    checkpoints.map(({ connection, key, checkpoint }) => [`${connection} ${key}`, checkpoint]),
  );
  const countOf = new Map(
    counts.map(({ connection, model, count }) => [`${connection} ${model}`, count]),
  );
  return syncs.map((sync) => {
    const { connectionUuid, variant } = sync;
    const models = functions.get(sync.functionId)?.definition.models ?? [];
    const recordCount = models.map((model): [string, number] => [
      model,
      countOf.get(`${connectionUuid} ${storedModel(model, variant)}`) ?? 0,
    ]);
    const checkpoint = checkpointOf.get(`${connectionUuid} ${checkpointKey(sync)}`) ?? null;
    return {
      ...presentSync(sync, runOf.get(sync.id), functions),
      recordCount: Object.fromEntries(recordCount),
      checkpoint: checkpoint && { ...checkpoint },
    };
  });
}

function presentSync(sync: NamedSync, run: Run | undefined, functions: TargetFunctions) {
  const isPaused = sync.paused || functions.get(sync.functionId)?.enabled === false;
  const execution = executionStatus(sync, run);
  const isFirst = run === undefined ? sync.lastSyncDate === null : run.fullRun;
  const finishedAt = execution === "RUNNING" ? null : (run?.endedAt ?? null);
  return {
    id: sync.id,
    connection_id: sync.connectionId,
    name: sync.name,
    variant: sync.variant,
    type: isFirst ? ("INITIAL" as const) : ("INCREMENTAL" as const),
    status: scheduleStatus(execution, isPaused),
    frequency: frequencyOf(sync, functions),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
    nextScheduledSyncAt: isPaused ? null : (sync.nextRunAt?.toISOString() ?? null),
    latestResult: presentResult(run?.result ?? {}),
    latestExecutionStatus: execution,
    ...(sync.consecutiveFailures < MANY_FAILURES
      ? {}
      : { consecutive_failures: sync.consecutiveFailures }),
  };
}

/** As it was set, or deployed. */
function frequencyOf(sync: NamedSync, functions: TargetFunctions): string | null {
  return sync.frequencyOverride ?? functions.get(sync.functionId)?.definition.frequency ?? null;
}

function executionStatus(
  sync: NamedSync,
  run: Run | undefined,
): SyncStatus["latestExecutionStatus"] {
  if (sync.runningRunId !== null || isAwaited(sync)) return "RUNNING";
  if (run === undefined) return null;
  return run.state === "success" ? "SUCCESS" : "STOPPED";
}

/** A run was asked for and begins as soon as a slot is free. */
function isAwaited({ followUp }: NamedSync): boolean {
  return followUp !== null && followUp.by !== "retry";
}

/** A sync that is disabled is paused by that. */
function scheduleStatus(
  execution: SyncStatus["latestExecutionStatus"],
  isPaused: boolean,
): SyncStatus["status"] {
  if (execution === "RUNNING") return "RUNNING";
  if (isPaused) return "PAUSED";
  return execution === "STOPPED" ? "ERROR" : "SUCCESS";
}

function presentResult(result: RunResult): SyncStatus["latestResult"] {
  return Object.fromEntries(
    Object.entries(result).map(([model, { added, updated, deleted }]) => [
      model,
      { added, updated, deleted },
    ]),
  );
}
