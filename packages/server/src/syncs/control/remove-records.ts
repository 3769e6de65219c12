import { findCachedEnvironment } from "#environments";
import {
  type ConnectionUuid,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { type DeployedSync, getFunctionById, listFunctions } from "#functions";
import { clearRecords, countRecords, isStoredAs } from "#records";
import type { PayloadOf } from "#tasks";
import { deleteCheckpoints } from "../checkpoints/store.ts";
import { listConnectionsOf, lockIntegration } from "../store.ts";
import type { syncTasks } from "../tasks.ts";

/**
 * Removes what a sync that is deployed no more has stored: its checkpoints, and the records of models that no other
 * sync of its integration writes. It ends where the sync is deployed again, which is looked at before each page.
 */
export async function removeRecordsOfSync(
  system: SystemContext,
  { environmentId, functionId }: PayloadOf<typeof syncTasks.removeRecords>,
): Promise<void> {
  const environment = await findCachedEnvironment(system, environmentId);
  if (environment === undefined) return;
  const ctx = withEnvironment(system, environment);
  const fn = await getFunctionById(ctx, functionId);
  if (fn.type !== "sync") return;
  const connections = await listConnectionsOf(ctx.db, environmentId, functionId);
  if (!(await forgetProgress(ctx, { fn, connections }))) return;
  const stored = await countRecords(ctx, { connections });
  for (const { connection, model } of stored) {
    const declared = fn.definition.models.find((name) => isStoredAs(name, model));
    if (declared === undefined) continue;
    try {
      const require = async (ctx: EnvironmentContext) => await requireUnwritten(ctx, fn, declared);
      await clearRecords(ctx, { connection, models: [model], require });
    } catch (error) {
      if (!(error instanceof StillWritten)) throw error;
    }
  }
}

/** Before the records: the sync, when it comes back, must not continue from where they end. */
async function forgetProgress(
  ctx: EnvironmentContext,
  { fn, connections }: { fn: DeployedSync; connections: readonly ConnectionUuid[] },
): Promise<boolean> {
  return await withTransaction(ctx, async (ctx) => {
    const deployed = await listDeployed(ctx, fn);
    if (deployed.some(({ name }) => name === fn.name)) return false;
    for (const connection of connections) {
      for (const kind of ["sync", "webhook"] as const) {
        const place = { connection, key: `${kind}:${fn.name}` };
        await deleteCheckpoints(ctx.db, ctx.environment.id, place);
      }
    }
    return true;
  });
}

class StillWritten extends Error {}

async function requireUnwritten(ctx: EnvironmentContext, fn: DeployedSync, model: string) {
  const deployed = await listDeployed(ctx, fn);
  const isWritten = deployed.some(
    ({ name, definition }) => name === fn.name || definition.models.includes(model),
  );
  if (isWritten) throw new StillWritten();
}

/** Until the transaction ends no sync of the integration comes in. */
async function listDeployed(
  ctx: EnvironmentContext,
  { integrationId }: DeployedSync,
): Promise<DeployedSync[]> {
  await lockIntegration(ctx.db, integrationId, "shared");
  return await listFunctions(ctx, { integration: { id: integrationId }, type: "sync" });
}
