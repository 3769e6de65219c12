import { reasonOf, type SystemContext, withEnvironment } from "#platform";
import { withTransaction } from "#platform/db";
import { forgetDataKeys } from "#vault";
import { environmentErasing } from "./hooks.ts";
import { eraseEnvironmentRow, listDeletedEnvironments } from "./store.ts";

/**
 * Erases deleted environments in which nothing is left to do: their rows, and the data keys, without which
 * their sealed texts in older backups stay unreadable. Runs daily.
 */
export async function eraseEnvironments(ctx: SystemContext): Promise<void> {
  for (const environment of await listDeletedEnvironments(ctx.db)) {
    try {
      const reasons: string[] = [];
      const inside = withEnvironment(ctx, environment);
      const postpone = (reason: string) => void reasons.push(reason);
      await ctx.hooks.tell(environmentErasing, inside, { environment, postpone });
      const { id } = environment;
      if (reasons.length > 0) {
        ctx.log.info("environment.erasure_postponed", { environment: id, reasons });
        continue;
      }
      await withTransaction(ctx, async (ctx) => {
        await eraseEnvironmentRow(ctx.db, id);
        await forgetDataKeys(ctx, id);
      });
      ctx.log.info("environment.erased", { environment: id });
    } catch (error) {
      const reason = reasonOf(error);
      ctx.log.error("environment.erasure_failed", { environment: environment.id, reason });
    }
  }
}
