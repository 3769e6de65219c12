import type { EnvironmentId, SystemContext } from "#foundation";
import { isPreparedSchema } from "#foundation/db";
import type { ModelId } from "../store.ts";
import { addFeedNotes } from "./changed-store.ts";

/**
 * Notes for readers of a feed that models have new order numbers, or went, in the transaction that gives these. Does
 * nothing where triggers do it, as they do unless models are distributed.
 */
export async function noteWrites(
  ctx: Pick<SystemContext, "db" | "state">,
  environmentId: EnvironmentId,
  models: readonly ModelId[],
): Promise<void> {
  if (models.length === 0 || !(await isPreparedSchema(ctx))) return;
  await addFeedNotes(ctx.db, environmentId, models);
}
