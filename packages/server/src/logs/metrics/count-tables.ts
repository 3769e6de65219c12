import { addMs, type SystemContext } from "#foundation";
import { forgetWrittenBatches } from "#foundation/db";
import { type DayTable, dropOldDays } from "#foundation/db/day-partitions";
import { HOURS_KEPT_MS, MINUTES_KEPT_MS } from "./metric-period.ts";

const minutes: DayTable = { name: "operation_minutes", time: "at" };
const hours: DayTable = { name: "operation_hours", time: "at" };

export const metricTables: readonly DayTable[] = [minutes, hours];

/** Drops the days of counts that are past their time; called every day. */
export async function dropOldCounts(
  ctx: Pick<SystemContext, "db" | "clock" | "log">,
): Promise<void> {
  await forgetWrittenBatches(ctx.db);
  const now = ctx.clock.now();
  await dropOldDays(ctx, minutes, { before: addMs(now, -MINUTES_KEPT_MS) });
  await dropOldDays(ctx, hours, { before: addMs(now, -HOURS_KEPT_MS) });
}
