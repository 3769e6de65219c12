import { actionDayTables } from "#actions";
import { logTables } from "#logs";
import type { SystemContext } from "#platform";
import { ensureDays } from "#platform/db/day-partitions";
import { runDayTables } from "#syncs";
import { webhookDayTables } from "#webhooks-out";

/** Makes the days ahead of all tables that are partitioned by day; called at start and every day. */
export async function ensureDayPartitions(ctx: SystemContext): Promise<void> {
  await ensureDays(ctx, [...logTables, ...webhookDayTables, ...actionDayTables, ...runDayTables]);
}
