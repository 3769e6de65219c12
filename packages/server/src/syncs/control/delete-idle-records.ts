import { getEnvironmentSettings, listAllEnvironments } from "#environments";
import { DAY, type EnvironmentContext, type SystemContext, withEnvironment } from "#foundation";
import { withTransaction } from "#foundation/db";
import { findFunctionById } from "#functions";
import { clearRecords, countRecords, storedModel } from "#records";
import { type IdleSync, listIdleSyncs, listSyncs, lockSync } from "../store.ts";
import { resetSync } from "./reset-sync.ts";

/**
 * Removes the records of syncs without a successful run for as long as their environment says, and how far they had
 * come: the next run starts over. Runs daily.
 */
export async function deleteIdleRecords(system: SystemContext): Promise<void> {
  for (const environment of await listAllEnvironments(system.db)) {
    const ctx = withEnvironment(system, environment);
    const { records_delete_days: days } = (await getEnvironmentSettings(ctx)).retention;
    if (days === null) continue;
    const before = new Date(ctx.clock.now().getTime() - days * DAY);
    const idle = await listIdleSyncs(ctx.db, environment.id, { before });
    const ids = new Set(idle.map(({ id }) => id));
    for (const sync of idle) await deleteRecordsOf(ctx, { sync, before, idle: ids });
  }
}

async function deleteRecordsOf(
  ctx: EnvironmentContext,
  { sync, before, idle }: { sync: IdleSync; before: Date; idle: ReadonlySet<IdleSync["id"]> },
): Promise<void> {
  const connection = sync.connectionUuid;
  const models = new Set(await listDeclared(ctx, sync));
  for (const other of await listSyncs(ctx.db, ctx.environment.id, { connections: [connection] })) {
    if (idle.has(other.id)) continue;
    for (const model of await listDeclared(ctx, other)) models.delete(model);
  }
  const stored = await countRecords(ctx, { connections: [connection] });
  const wanted = stored.map(({ model }) => model).filter((model) => models.has(model));
  if (wanted.length === 0) return;
  try {
    // Before the records: a run that begins meanwhile must not continue from where they end.
    await withTransaction(ctx, async (ctx) => await forgetProgress(ctx, sync, before));
    const require = async (ctx: EnvironmentContext) => await requireIdle(ctx, sync, before);
    await clearRecords(ctx, { connection, models: wanted, require });
  } catch (error) {
    if (!(error instanceof NotIdle)) throw error;
  }
}

class NotIdle extends Error {}

/** Until the transaction ends it cannot run. */
async function requireIdle(ctx: EnvironmentContext, { id }: IdleSync, before: Date): Promise<void> {
  const found = await listIdleSyncs(ctx.db, ctx.environment.id, { before, id });
  if (found.length === 0) throw new NotIdle();
}

async function forgetProgress(ctx: EnvironmentContext, idle: IdleSync, before: Date) {
  await requireIdle(ctx, idle, before);
  const sync = await lockSync(ctx.db, ctx.environment.id, idle.id);
  if (sync !== undefined) await resetSync(ctx, sync);
}

async function listDeclared(
  ctx: EnvironmentContext,
  sync: Pick<IdleSync, "functionId" | "variant">,
): Promise<string[]> {
  const fn = await findFunctionById(ctx, sync.functionId);
  if (fn?.type !== "sync") return [];
  return fn.definition.models.map((model) => storedModel(model, sync.variant));
}
