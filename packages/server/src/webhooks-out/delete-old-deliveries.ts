import { getEnvironmentSettings, listAllEnvironments } from "#environments";
import { addMs, DAY, type InstallationContext, withEnvironment } from "#platform";
import { deleteReplaysBefore } from "./deliveries/store.ts";
import { deleteDeliveriesBefore, deletePayloadsBefore } from "./store.ts";

const BATCH = 5000;

/** Deletes deliveries past the environment's `retention.webhooks_days`, held ones too; runs daily. */
export async function deleteOldDeliveries(ctx: InstallationContext): Promise<void> {
  for (const environment of await listAllEnvironments(ctx.db)) {
    const { retention } = await getEnvironmentSettings(withEnvironment(ctx, environment));
    const before = addMs(ctx.clock.now(), -retention.webhooks_days * DAY);
    await deleteReplaysBefore(ctx.db, environment.id, before);
    // What several deliveries share goes after the last of them.
    for (const deleteSome of [deleteDeliveriesBefore, deletePayloadsBefore]) {
      let deleted = BATCH;
      // Batches keep each transaction, and its locks, short.
      while (deleted === BATCH && !ctx.signal.aborted) {
        deleted = await deleteSome(ctx.db, environment.id, { before, limit: BATCH });
      }
    }
  }
}
