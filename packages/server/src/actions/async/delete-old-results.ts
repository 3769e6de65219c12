import { addMs, DAY, type SystemContext } from "#foundation";
import { type DayTable, dropOldDays } from "#foundation/db/day-partitions";
import { deleteEndedBefore, isKept } from "./store.ts";

export const actionDayTables: readonly DayTable[] = [{ name: "async_actions", time: "created_at" }];

/** Drops the days whose outcomes are no longer kept (SVC_ACTION_RESULT_DAYS); called every day. */
export async function deleteOldResults(ctx: SystemContext): Promise<void> {
  const ended = addMs(ctx.clock.now(), -ctx.settings.actionResultMs);
  // A day more, since an action that waited ended later than it was accepted.
  const before = addMs(ended, -DAY);
  for (const table of actionDayTables)
    await dropOldDays(ctx, table, { before, needed: isKept(ended) });
  // What outlived its day.
  const accepted = new Date(Math.floor(before.getTime() / DAY) * DAY);
  await deleteEndedBefore(ctx.db, { accepted, ended });
}
