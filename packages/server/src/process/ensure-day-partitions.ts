import type { SystemContext } from "#foundation";
import { ensureDays } from "#foundation/db/day-partitions";
import { allOf } from "#slice";
import { slices } from "../app.ts";

/** Makes the days ahead of all tables that are partitioned by day; called at start and every day. */
export async function ensureDayPartitions(ctx: SystemContext): Promise<void> {
  await ensureDays(ctx, allOf(slices, "dayTables"));
}
