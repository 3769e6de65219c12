import { addMs, DAY, type SystemContext } from "#foundation";
import { deleteStageCountsBefore } from "./store.ts";

const KEPT_DAYS = 30;

/** Keeps the counts of 30 days. */
export async function deleteOldStageCounts(ctx: SystemContext): Promise<void> {
  const first = addMs(ctx.clock.now(), -KEPT_DAYS * DAY);
  await deleteStageCountsBefore(ctx.db, first.toISOString().slice(0, 10));
}
