import { parseFrequency } from "@jackfield/contract";
import { type ConnectionCreated, clearSyncErrors, pagesOfIntegration } from "#connections";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { type DeployedSync, type FunctionsDeployed, listFunctions } from "#functions";
import { recordOperation } from "#logs";
import { enqueueTask, notifyDue } from "#tasks";
import {
  changeInterval,
  deleteAllSyncs,
  insertSyncs,
  listFailingSyncs,
  lockIntegration,
  type SyncFilter,
} from "../store.ts";
import { nameInErrors } from "../sync.ts";
import { syncTasks } from "../tasks.ts";
import { DUE_SYNCS } from "./due-name.ts";

const CONNECTIONS_PER_PAGE = 10_000;

/** A connection has come: a schedule for every enabled sync of its integration. */
export async function createSyncsOfConnection(
  ctx: EnvironmentContext,
  { connection, integration }: ConnectionCreated,
): Promise<void> {
  await lockIntegration(ctx.db, integration.id, "shared");
  const functions = await listFunctions(ctx, { integration, type: "sync" });
  for (const fn of functions.filter(({ enabled }) => enabled)) {
    await createSyncs(ctx, fn, [connection.uuid]);
  }
}

/** A deployment has changed functions: their schedules follow, for all connections. */
export async function createSyncsOfFunctions(
  ctx: EnvironmentContext,
  { deployed, removed }: FunctionsDeployed,
): Promise<void> {
  const connectionsByIntegration = new Map<number, ConnectionUuid[]>();
  for (const fn of deployed) {
    if (fn.type !== "sync" || !fn.enabled) continue;
    const { integrationId } = fn;
    const connections =
      connectionsByIntegration.get(integrationId) ?? (await listUuids(ctx, integrationId));
    connectionsByIntegration.set(integrationId, connections);
    await createSyncs(ctx, fn, connections);
    const intervalMs = intervalOf(fn);
    const now = ctx.clock.now();
    await changeInterval(ctx.db, ctx.environment.id, { functionId: fn.id, intervalMs, now });
  }
  const functionIds = removed.filter(({ type }) => type === "sync").map(({ id }) => id);
  if (functionIds.length > 0) await deleteSyncs(ctx, { functionIds });
  for (const functionId of functionIds) {
    const environmentId = ctx.environment.id;
    const payload = { environmentId, functionId };
    await enqueueTask(ctx, syncTasks.removeRecords, payload, { environmentId });
  }
  await notifyDue(ctx, DUE_SYNCS);
}

/** Deletes schedules; runs in progress are cancelled, handlers of webhooks included. */
export async function deleteSyncs(ctx: EnvironmentContext, filter: SyncFilter): Promise<void> {
  const now = ctx.clock.now();
  if (filter.functionIds !== undefined) await clearErrorsOf(ctx, filter.functionIds);
  await deleteAllSyncs(ctx.db, ctx.environment.id, { ...filter, now });
}

/** First, since connections are locked before their syncs. */
async function clearErrorsOf(
  ctx: EnvironmentContext,
  functionIds: readonly number[],
): Promise<void> {
  const failing = await listFailingSyncs(ctx.db, ctx.environment.id, functionIds);
  const named = failing.map((sync) => ({
    connection: sync.connectionUuid,
    sync: nameInErrors(sync),
  }));
  await clearSyncErrors(ctx, named);
}

/** An environment goes: nothing of it becomes due any more, and what runs stops. */
export async function deleteSyncsOfEnvironment(ctx: EnvironmentContext): Promise<void> {
  await deleteSyncs(ctx, {});
}

async function createSyncs(
  ctx: EnvironmentContext,
  fn: DeployedSync,
  connections: readonly ConnectionUuid[],
): Promise<void> {
  const now = ctx.clock.now();
  const sync = {
    functionId: fn.id,
    name: fn.name,
    paused: !fn.definition.autoStart,
    intervalMs: intervalOf(fn),
  };
  const created = await insertSyncs(ctx.db, ctx.environment.id, sync, { connections, now });
  for (const _ of created) {
    recordOperation(ctx, {
      type: "sync",
      action: "init",
      message: `Sync "${fn.name}" was set up${sync.paused ? " and waits to be started" : ""}`,
      function: { id: fn.id, name: fn.name },
      state: "success",
      startedAt: now,
    });
  }
  if (created.length > 0) await notifyDue(ctx, DUE_SYNCS);
}

async function listUuids(ctx: EnvironmentContext, integrationId: number) {
  await lockIntegration(ctx.db, integrationId, "alone");
  const found: ConnectionUuid[] = [];
  for await (const page of pagesOfIntegration(ctx, { id: integrationId }, CONNECTIONS_PER_PAGE)) {
    found.push(...page.map(({ uuid }) => uuid));
  }
  return found;
}

/** Deployments check frequencies, so that one that cannot be read is a fault of ours. */
export function intervalOf({ name, definition: { frequency } }: DeployedSync): number {
  const parsed = parseFrequency(frequency);
  if (parsed === undefined) throw new Error(`sync ${name} has the frequency ${frequency}`);
  return parsed.ms;
}
