import type { Environment, EnvironmentContext, EnvironmentId, SystemContext } from "#platform";
import { withTransaction } from "#platform/db";
import { enqueueTask } from "#tasks";
import { dropPartition, findPartition, removeModels } from "../store.ts";
import { recordTasks } from "../tasks.ts";

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

/**
 * Removes all records of a deleted environment, in a moment regardless of their number. Throws when readers or
 * writers of any environment hold the table for seconds; then it has to be tried again.
 */
export async function dropEnvironment(
  ctx: SystemContext,
  environmentId: EnvironmentId,
): Promise<void> {
  // Separate from the drop: a run that still writes waits for a model first and for the table then.
  await withTransaction(ctx, async ({ db }) => await removeModels(db, environmentId));
  const number = await findPartition(ctx.db, environmentId);
  if (number === undefined) return;
  await withTransaction(ctx, async ({ db }) => await dropPartition(db, number));
}
