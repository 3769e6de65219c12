import { getEnvironmentSettings, listAllEnvironments } from "#environments";
import { addMs, DAY, type SystemContext, withEnvironment } from "#foundation";
import { passingOver } from "#foundation/db";
import { type DayTable, dropOldDays } from "#foundation/db/day-partitions";
import { deleteReplaysBefore } from "./deliveries/store.ts";
import { areDeliveriesPrepared } from "./distributed/is-prepared.ts";
import { deletingDeliveries } from "./distributed/note-deliveries.ts";
import {
  deleteDeliveriesBefore,
  deletePayloadsBefore,
  deleteQueuedBefore,
  neededAttempts,
  neededDeliveries,
} from "./store.ts";

const BATCH = 5000;
/** Days are kept for the environment that keeps them longest, up to so many; rows that are kept for longer move. */
const MOST_DAYS = 100;

const deliveries: DayTable = { name: "webhook_deliveries", time: "created_at" };
const attempts: DayTable = { name: "webhook_attempts", time: "created_at" };
export const webhookDayTables: readonly DayTable[] = [deliveries, attempts];

/**
 * Drops or deletes deliveries past the environment's `retention.webhooks_days`, whole days of them, held ones too, but not
 * those that are still to be sent; runs daily.
 */
export async function deleteOldDeliveries(ctx: SystemContext): Promise<void> {
  const environments = await Promise.all(
    (await listAllEnvironments(ctx.db)).map(async (environment) => {
      const { retention } = await getEnvironmentSettings(withEnvironment(ctx, environment));
      return { id: environment.id, days: retention.webhooks_days };
    }),
  );
  const now = ctx.clock.now();
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const daysKept = Math.min(MOST_DAYS, Math.max(0, ...environments.map(({ days }) => days)));
  const longer = environments.filter(({ days }) => days > daysKept).map(({ id }) => id);
  const before = addMs(today, -daysKept * DAY);
  await dropOldDays(ctx, deliveries, { before, needed: neededDeliveries(longer) });
  await dropOldDays(ctx, attempts, { before, needed: neededAttempts(before) });
  const isPrepared = await areDeliveriesPrepared(ctx);
  for (const { id, days } of environments) {
    const before = addMs(today, -days * DAY);
    await deleteReplaysBefore(ctx.db, id, addMs(now, -days * DAY));
    const page = { before, limit: BATCH, isPrepared };
    // What several deliveries share goes after the last of them.
    await passingOver(ctx, id, async (ctx) => {
      const parts = [
        async () =>
          await deletingDeliveries(
            ctx,
            id,
            async (db) => await deleteDeliveriesBefore(db, id, page),
          ),
        async () => await deleteQueuedBefore(ctx.db, id, page),
        async () => await deletePayloadsBefore(ctx.db, id, page),
      ];
      for (const deleteSome of parts) {
        let deleted = BATCH;
        // Batches keep each transaction, and its locks, short.
        while (deleted === BATCH && !ctx.signal.aborted) deleted = await deleteSome();
      }
    });
  }
}
