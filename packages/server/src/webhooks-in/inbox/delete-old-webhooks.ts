import { getEnvironmentSettings, listAllEnvironments } from "#environments";
import { addMs, DAY, type SystemContext, withEnvironment } from "#foundation";
import { passingOver } from "#foundation/db";
import { keepLastReceived } from "../intake/last-received.ts";
import { deleteOlder } from "../storage/delete-older.ts";

/** Deletes what is older than its environment keeps webhooks (30 days unless set). */
export async function deleteOldWebhooks(ctx: SystemContext): Promise<void> {
  for (const environment of await listAllEnvironments(ctx.db)) {
    const { retention } = await getEnvironmentSettings(withEnvironment(ctx, environment));
    const before = addMs(ctx.clock.now(), -retention.webhooks_days * DAY);
    let isMore = true;
    await passingOver(ctx, environment.id, async (ctx) => {
      await keepLastReceived(withEnvironment(ctx, environment));
      while (isMore && !ctx.signal.aborted) {
        isMore = await deleteOlder(ctx, environment.id, before);
      }
    });
  }
}
