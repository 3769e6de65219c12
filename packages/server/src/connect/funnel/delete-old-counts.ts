import { addMs, DAY, type SystemContext } from "#foundation";
import { deleteStepCountsBefore } from "./store.ts";

const KEPT_DAYS = 90;

/** Called every day. */
export async function deleteOldStepCounts(ctx: SystemContext): Promise<void> {
  const first = addMs(ctx.clock.now(), -KEPT_DAYS * DAY);
  await deleteStepCountsBefore(ctx.db, first.toISOString().slice(0, 10));
}
