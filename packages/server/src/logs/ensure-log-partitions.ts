import { addMs, DAY, type InstallationContext } from "#platform";
import { withTransaction } from "#platform/db";
import { createPartitions } from "./store.ts";

const DAYS_AHEAD = 3;

/** Makes the partitions of today and the next days; called at start and every day. */
export async function ensureLogPartitions(
  ctx: Pick<InstallationContext, "db" | "clock" | "log">,
): Promise<void> {
  const today = ctx.clock.now();
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) =>
    addMs(today, ahead * DAY)
      .toISOString()
      .slice(0, 10),
  );
  const created = await withTransaction(ctx, async ({ db }) => await createPartitions(db, days));
  if (created.length > 0) ctx.log.info("logs.partitions_created", { partitions: created });
}
