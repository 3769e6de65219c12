import type { EnvironmentContext } from "#foundation";
import type { RecordsChanged } from "#records";
import { lostLease } from "./require-lease.ts";
import { addRunChanges } from "./store.ts";

/**
 * Counts what a run has written in the transaction of the write, which undoes it when the run has lost its
 * lease. So the counts are exact across a takeover, and nothing of an older attempt is kept.
 */
export async function countChanges(
  ctx: EnvironmentContext,
  { writer, model, changes }: RecordsChanged,
): Promise<void> {
  const [plainModel = model] = model.split("::");
  const attempt = { id: writer.runId, fence: writer.fence };
  const counted = await addRunChanges(ctx.db, ctx.environment.id, attempt, plainModel, changes);
  if (!counted) throw lostLease();
}
