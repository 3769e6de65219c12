import type { Environment, EnvironmentContext, EnvironmentId, SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { enqueueTask } from "#tasks";
import {
  dropPartition,
  findPartition,
  forgetPartition,
  hasPartition,
  listModelsOf,
  removeModels,
} from "../store.ts";
import { recordTasks } from "../tasks.ts";
import { removeModel } from "./erase-records.ts";

/** An environment goes: its records go soon after. */
export async function dropRecordsLater(
  ctx: EnvironmentContext,
  { id }: Environment,
): Promise<void> {
  await enqueueTask(ctx, recordTasks.dropEnvironment, { environmentId: id }, { environmentId: id });
}

/** Runs again before the environment is erased: a run may have saved records after the first time. */
export async function dropRecordsAtLast(
  ctx: EnvironmentContext,
  { environment }: { readonly environment: Environment },
): Promise<void> {
  await dropEnvironment(ctx, environment.id);
}

/** Models that are forgotten in one transaction. */
const AT_ONCE = 1000;

/**
 * Removes all records of a deleted environment: in a moment regardless of their number where they have a partition of
 * their own, otherwise model by model, in pages. Throws when readers or writers of any environment hold the table for
 * seconds; then it has to be tried again.
 */
export async function dropEnvironment(
  ctx: SystemContext,
  environmentId: EnvironmentId,
): Promise<void> {
  const number = await findPartition(ctx.db, environmentId);
  const isApart = number !== undefined && (await hasPartition(ctx.db, number));
  for (;;) {
    ctx.signal.throwIfAborted();
    const models = await listModelsOf(ctx.db, environmentId, AT_ONCE);
    if (models.length === 0) break;
    // Separate from the drop: a run that still writes waits for a model first and for the table then.
    if (isApart) await withTransaction(ctx, async ({ db }) => await removeModels(db, models));
    else for (const model of models) await removeModel(ctx, environmentId, model);
  }
  if (number === undefined) return;
  await withTransaction(ctx, async ({ db }) => {
    if (isApart) await dropPartition(db, number);
    await forgetPartition(db, number);
  });
}
