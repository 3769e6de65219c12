import { getEnvironmentSettings, listAllEnvironments } from "#environments";
import { getFunctionById } from "#functions";
import {
  AppError,
  DAY,
  type EnvironmentContext,
  type InstallationContext,
  withEnvironment,
} from "#platform";
import { clearRecords, countRecords, storedModel } from "#records";
import { type IdleSync, listIdleSyncs } from "./store.ts";

/** Removes the records of syncs without a successful run for as long as their environment says. Runs daily. */
export async function deleteIdleRecords(installation: InstallationContext): Promise<void> {
  for (const environment of await listAllEnvironments(installation.db)) {
    const ctx = withEnvironment(installation, environment);
    const { records_delete_days: days } = (await getEnvironmentSettings(ctx)).retention;
    if (days === null) continue;
    const before = new Date(ctx.clock.now().getTime() - days * DAY);
    for (const sync of await listIdleSyncs(ctx.db, environment.id, before)) {
      await clearModelsOf(ctx, sync);
    }
  }
}

async function clearModelsOf(ctx: EnvironmentContext, sync: IdleSync): Promise<void> {
  const connection = sync.connectionUuid;
  const declared = await listDeclared(ctx, sync);
  const stored = await countRecords(ctx, { connections: [connection] });
  const models = stored.map(({ model }) => model).filter((model) => declared.has(model));
  await clearRecords(ctx, { connection, models });
}

async function listDeclared(ctx: EnvironmentContext, sync: IdleSync): Promise<Set<string>> {
  try {
    const fn = await getFunctionById(ctx, sync.functionId);
    if (fn.type !== "sync") return new Set();
    return new Set(fn.definition.models.map((model) => storedModel(model, sync.variant)));
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return new Set();
    throw error;
  }
}
