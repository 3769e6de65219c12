import { addMs, type InstallationContext, reasonOf } from "#platform";
import { withTransaction } from "#platform/db";
import { deleteOldUsage, dropPartition, listPartitionDays } from "./store.ts";

/** Drops the days that are past the time for which logs are kept (SVC_LOG_RETENTION_DAYS); called every day. */
export async function dropOldPartitions(
  ctx: Pick<InstallationContext, "db" | "clock" | "log" | "settings">,
): Promise<void> {
  const last = addMs(ctx.clock.now(), -ctx.settings.logRetentionMs).toISOString().slice(0, 10);
  await deleteOldUsage(ctx.db, last);
  for (const { table, day } of await listPartitionDays(ctx.db)) {
    if (day >= last) continue;
    try {
      await withTransaction(ctx, async ({ db }) => await dropPartition(db, table, day));
      ctx.log.info("logs.partition_dropped", { table, day });
    } catch (error) {
      // Somebody reads the day; it goes tomorrow.
      ctx.log.warn("logs.partition_kept", { table, day, reason: reasonOf(error) });
    }
  }
}
