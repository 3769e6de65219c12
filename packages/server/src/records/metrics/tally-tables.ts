import { addMs, type SystemContext } from "#foundation";
import { type DayTable, dropOldDays } from "#foundation/db/day-partitions";
import { HOURS_KEPT_MS, MINUTES_KEPT_MS } from "#logs";

const minutes: DayTable = { name: "record_minutes", time: "at" };
const hours: DayTable = { name: "record_hours", time: "at" };

export const recordCountTables: readonly DayTable[] = [minutes, hours];

/** Drops the days of counts that are past their time; called every day. */
export async function dropOldRecordCounts(
  ctx: Pick<SystemContext, "db" | "clock" | "log">,
): Promise<void> {
  const now = ctx.clock.now();
  await dropOldDays(ctx, minutes, { before: addMs(now, -MINUTES_KEPT_MS) });
  await dropOldDays(ctx, hours, { before: addMs(now, -HOURS_KEPT_MS) });
}
