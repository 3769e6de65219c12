import type { RouteOutput, syncRoutes } from "@jackfield/contract";
import { listConnections } from "#connections";
import { type ConnectionUuid, type EnvironmentContext, keysetCursor } from "#foundation";
import { ceilingOf } from "#foundation/fair-slots";
import { type DeployedSync, listFunctionsById, listSyncNames } from "#functions";
import { getIntegration } from "#integrations";
import { countRecords, listRefusedDeletes, storedModel } from "#records";
import { listWorkers } from "#tasks";
import { readLoad } from "../claim/store.ts";
import { listLatestRuns } from "../runs/store.ts";
import type { RunResult } from "../sync.ts";
import { describeDelay, type LateSync, type Load, lateSince } from "./describe-delay.ts";
import {
  type ListedSyncRow,
  listNewestRunRows,
  listRunsUnderWay,
  listSyncRows,
  listSyncRowsByConnection,
  type SyncListFilter,
} from "./store.ts";

type ListedSync = RouteOutput<typeof syncRoutes.listSyncs>["data"][number];

export interface SyncQuery {
  readonly integrationKey?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly name?: string | undefined;
  readonly state?: ListedSync["state"] | undefined;
  readonly sort?: "created" | "connection" | undefined;
  readonly include?: readonly ("runs" | "results")[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface SyncPage {
  readonly syncs: readonly ListedSync[];
  readonly nextCursor: string | null;
}

const cursors = keysetCursor({ radix: 36, separator: "." });

/** Syncs of the whole environment, newest first or by connection; throws unknown_provider_config and invalid_cursor. */
export async function listEnvironmentSyncs(
  ctx: EnvironmentContext,
  query: SyncQuery,
): Promise<SyncPage> {
  const { limit, cursor } = query;
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  const functions = await chooseFunctions(ctx, query);
  const connections = await chooseConnections(ctx, query);
  const isEmpty = functions.only?.length === 0 || connections?.length === 0;
  const rows = isEmpty
    ? []
    : await listRows(ctx, query, {
        state: query.state === "disabled" ? undefined : query.state,
        functionIds: functions.only,
        exceptFunctionIds: functions.except,
        ...{ connections, after, limit: limit + 1 },
      });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const nextCursor = last === undefined ? null : cursors.write(last);
  let syncs = await presentSyncs(ctx, page);
  const includes = page.length === 0 ? [] : (query.include ?? []);
  if (includes.includes("results")) syncs = await addResults(ctx, syncs, page);
  if (includes.includes("runs")) syncs = await addLatestRuns(ctx, syncs, page);
  return { syncs, nextCursor };
}

async function listRows(
  ctx: EnvironmentContext,
  { sort, integrationKey }: SyncQuery,
  filter: SyncListFilter,
): Promise<ListedSyncRow[]> {
  if (sort !== "connection") return await listSyncRows(ctx.db, ctx.environment.id, filter);
  const integration =
    integrationKey === undefined ? undefined : await getIntegration(ctx, integrationKey);
  const wanted = { ...filter, integrationId: integration?.id };
  return await listSyncRowsByConnection(ctx.db, ctx.environment.id, wanted);
}

/** How many records each has, and what its latest run did to them. */
async function addResults(
  ctx: EnvironmentContext,
  syncs: readonly ListedSync[],
  rows: readonly ListedSyncRow[],
): Promise<ListedSync[]> {
  const ids = rows.map(({ id }) => id);
  const connections = [...new Set(rows.map(({ connectionUuid }) => connectionUuid))];
  const functionIds = [...new Set(rows.map(({ functionId }) => functionId))];
  const [latest, counts, functions] = await Promise.all([
    listLatestRuns(ctx.db, ctx.environment.id, ids),
    countRecords(ctx, { connections }),
    listFunctionsById(ctx, functionIds),
  ]);
  const resultOf = new Map(latest.map(({ syncId, result }) => [String(syncId), result]));
  const countOf = new Map(
    counts.map(({ connection, model, count }) => [`${connection} ${model}`, count]),
  );
  return syncs.map((sync, place) => {
    const row = rows[place];
    const fn = row && functions.get(row.functionId);
    const models = fn?.type === "sync" ? fn.definition.models : [];
    const modelCounts = models.map(
      (model) => countOf.get(`${row?.connectionUuid} ${storedModel(model, sync.variant)}`) ?? 0,
    );
    const result = resultOf.get(sync.id);
    return {
      ...sync,
      record_count: modelCounts.reduce((sum, count) => sum + count, 0),
      latest_result: result === undefined ? null : sumOf(Object.values(result)),
    };
  });
}

function sumOf(changes: readonly RunResult[string][]) {
  const sum = (name: keyof RunResult[string]) =>
    changes.reduce((all, each) => all + (each[name] ?? 0), 0);
  const quarantined = sum("quarantined");
  return {
    ...{ added: sum("added"), updated: sum("updated"), deleted: sum("deleted") },
    unchanged: sum("unchanged"),
    ...(quarantined > 0 && { quarantined }),
  };
}

const LATEST_RUNS = 20;

async function addLatestRuns(
  ctx: EnvironmentContext,
  syncs: readonly ListedSync[],
  rows: readonly ListedSyncRow[],
): Promise<ListedSync[]> {
  const wanted = { syncIds: rows.map(({ id }) => id), limit: LATEST_RUNS };
  const runs = await listNewestRunRows(ctx.db, ctx.environment.id, wanted);
  const runsOf = Map.groupBy(runs, ({ syncId }) => String(syncId));
  return syncs.map((sync) => ({
    ...sync,
    latest_runs: (runsOf.get(sync.id) ?? []).map((run) => ({
      id: run.id,
      state: run.state,
      created_at: run.createdAt.toISOString(),
      operation_id: run.operationId,
    })),
  }));
}

interface ChosenFunctions {
  /** Undefined for all. */
  readonly only: readonly number[] | undefined;
  readonly except: readonly number[];
}

/** A disabled function decides the state of its syncs. */
async function chooseFunctions(
  ctx: EnvironmentContext,
  { integrationKey, name, state }: SyncQuery,
): Promise<ChosenFunctions> {
  const integration =
    integrationKey === undefined ? undefined : await getIntegration(ctx, integrationKey);
  const isAny = integration === undefined && name === undefined;
  if (isAny && state === undefined) return { only: undefined, except: [] };
  const functions = await listSyncNames(ctx);
  const wanted = functions.filter(
    (fn) =>
      (integration === undefined || fn.integrationId === integration.id) &&
      (name === undefined || fn.name === name) &&
      (state === undefined || fn.enabled === (state !== "disabled")),
  );
  if (!isAny || state === "disabled") return { only: idsOf(wanted), except: [] };
  return { only: undefined, except: idsOf(functions.filter(({ enabled }) => !enabled)) };
}

function idsOf(functions: readonly { readonly id: number }[]): number[] {
  return functions.map(({ id }) => id);
}

const MOST_CONNECTIONS = 2000;

async function chooseConnections(
  ctx: EnvironmentContext,
  { integrationKey: integrationId, connectionId }: SyncQuery,
): Promise<ConnectionUuid[] | undefined> {
  if (connectionId === undefined) return undefined;
  const wanted = { connectionId, integrationId, limit: MOST_CONNECTIONS };
  const found = await listConnections(ctx, wanted);
  return found.map(({ connection }) => connection.uuid);
}

async function presentSyncs(
  ctx: EnvironmentContext,
  rows: readonly ListedSyncRow[],
): Promise<ListedSync[]> {
  if (rows.length === 0) return [];
  const connections = [...new Set(rows.map(({ connectionUuid }) => connectionUuid))];
  const failing = rows.flatMap(({ id, state }) => (state === "failing" ? [id] : []));
  const running = rows.flatMap(({ id, runningRunId }) => (runningRunId === null ? [] : [id]));
  const [functions, refusals, latest, underWay] = await Promise.all([
    listFunctionsById(ctx, [...new Set(rows.map(({ functionId }) => functionId))]),
    listRefusedDeletes(ctx, { connections }),
    listLatestRuns(ctx.db, ctx.environment.id, failing),
    listRunsUnderWay(ctx.db, ctx.environment.id, running),
  ]);
  const refusedOf = new Map(
    refusals.map(({ connection, model, deletes }) => [`${connection} ${model}`, deletes]),
  );
  const errorOf = new Map(latest.map(({ syncId, error }) => [syncId, error]));
  const runOf = new Map(underWay.map((run) => [run.syncId, run]));
  const now = ctx.clock.now();
  const lateOf = (row: ListedSyncRow, isScheduled: boolean): LateSync => {
    const run = runOf.get(row.id);
    return {
      dueAt: isScheduled ? (row.nextRunAt ?? undefined) : undefined,
      run: run !== undefined && run.id === row.runningRunId ? run : undefined,
    };
  };
  const isLate = rows.some((row) => lateSince(lateOf(row, row.runningRunId === null), now));
  const load = isLate ? await measureLoad(ctx) : idle;
  return rows.map((row) => {
    const fn = functions.get(row.functionId);
    const deployed = fn?.type === "sync" ? fn : undefined;
    const refused = (deployed?.definition.models ?? []).flatMap((model) => {
      const deletes = refusedOf.get(`${row.connectionUuid} ${storedModel(model, row.variant)}`);
      return deletes === undefined ? [] : [[model, deletes] as const];
    });
    const error = errorOf.get(row.id);
    const shown = presentSync(row, deployed, now);
    return {
      ...shown,
      delay: describeDelay(lateOf(row, shown.next_run_at !== null), load, now),
      reason: error ? { type: error.type, message: error.message } : null,
      refused_deletes: Object.fromEntries(refused),
    };
  });
}

const idle: Load = { slots: 0, running: 0, own: 0, share: 0 };

/** Asked once for a page, and only where something is late. */
async function measureLoad(ctx: EnvironmentContext): Promise<Load> {
  const [workers, counted] = await Promise.all([
    listWorkers(ctx.db),
    readLoad(ctx.db, ctx.environment.id),
  ]);
  const alive = workers.filter(({ isAlive }) => isAlive);
  const slots = alive.reduce((sum, worker) => sum + worker.slots, 0);
  return { slots, ...counted, share: ceilingOf(slots, ctx.settings.environmentShare) };
}

function presentSync(row: ListedSyncRow, fn: DeployedSync | undefined, now: Date) {
  const state = fn?.enabled === false ? ("disabled" as const) : row.state;
  const isScheduled = state !== "disabled" && state !== "paused" && row.runningRunId === null;
  const nextRunAt = isScheduled ? row.nextRunAt : null;
  const lagMs = nextRunAt === null ? 0 : now.getTime() - nextRunAt.getTime();
  return {
    id: row.id,
    name: row.name,
    variant: row.variant,
    provider_config_key: row.integrationKey,
    connection_id: row.connectionId,
    state,
    frequency: row.frequencyOverride ?? fn?.definition.frequency ?? null,
    last_success_at: row.lastSyncDate?.toISOString() ?? null,
    next_run_at: nextRunAt?.toISOString() ?? null,
    lag_seconds: Math.max(0, Math.floor(lagMs / 1000)),
    running_run_id: row.runningRunId,
    consecutive_failures: row.consecutiveFailures,
  };
}
