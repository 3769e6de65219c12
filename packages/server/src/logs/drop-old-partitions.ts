import { addMs, type SystemContext } from "#platform";
import { dayOf, dropOldDays } from "#platform/db/day-partitions";
import { logTables } from "./ensure-log-partitions.ts";
import { deleteOldUsage } from "./store.ts";

/** Drops the days that are past the time for which logs are kept (SVC_LOG_RETENTION_DAYS); called every day. */
export async function dropOldPartitions(
  ctx: Pick<SystemContext, "db" | "clock" | "log" | "settings">,
): Promise<void> {
  const before = addMs(ctx.clock.now(), -ctx.settings.logRetentionMs);
  await deleteOldUsage(ctx.db, dayOf(before));
  for (const table of logTables) await dropOldDays(ctx, table, { before });
}
