import { addMs, type SystemContext } from "#foundation";
import { dayOf, dropOldDays } from "#foundation/db/day-partitions";
import { logTables } from "./ensure-log-partitions.ts";
import { getWholeLog, logServer } from "./log-server.ts";
import { deleteOldUsage } from "./store.ts";

/** Drops the days that are past the time for which logs are kept (SVC_LOG_RETENTION_DAYS); called every day. */
export async function dropOldPartitions(
  ctx: Pick<SystemContext, "db" | "clock" | "log" | "settings" | "state">,
): Promise<void> {
  const before = addMs(ctx.clock.now(), -ctx.settings.logRetentionMs);
  await deleteOldUsage(ctx.db, dayOf(before));
  // What the first database holds from before the log got a server of its own ends in time, too.
  for (const table of logTables) await dropOldDays(ctx, table, { before });
  if (logServer.of(ctx) === undefined) return;
  const away = { ...ctx, db: getWholeLog(ctx) };
  for (const table of logTables) await dropOldDays(away, table, { before });
}
