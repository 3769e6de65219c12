import type { SystemContext } from "#foundation";
import { type DayTable, ensureDays } from "#foundation/db/day-partitions";
import { getWholeLog } from "./log-server.ts";

export const logTables: readonly DayTable[] = [
  { name: "operations", time: "created_at" },
  { name: "operation_messages", time: "created_at" },
];

/** Makes the partitions of today and the next days; called at start and every day. */
export async function ensureLogPartitions(
  ctx: Pick<SystemContext, "db" | "clock" | "log" | "state">,
): Promise<void> {
  await ensureDays({ ...ctx, db: getWholeLog(ctx) }, logTables);
}
