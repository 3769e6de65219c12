import { type Environment, reasonOf, type SystemContext, withEnvironment } from "#foundation";
import { passingOver, withTransaction } from "#foundation/db";
import { forgetDataKeys } from "#vault";
import { environmentErasing } from "../hooks.ts";
import { eraseEnvironmentRow, listDeletedEnvironments } from "../store.ts";

/**
 * Erases deleted environments in which nothing is left to do: their rows, and the data keys, without which
 * their sealed texts in older backups stay unreadable. Runs daily.
 */
export async function eraseEnvironments(ctx: SystemContext): Promise<void> {
  await eraseThose(ctx, await listDeletedEnvironments(ctx.db));
}

/** The deleted ones of an account that goes; false while one of them has to wait. */
export async function eraseEnvironmentsOf(ctx: SystemContext, accountId: string): Promise<boolean> {
  const all = await listDeletedEnvironments(ctx.db);
  await eraseThose(
    ctx,
    all.filter((environment) => environment.accountId === accountId),
  );
  return !(await listDeletedEnvironments(ctx.db)).some((left) => left.accountId === accountId);
}

async function eraseThose(ctx: SystemContext, environments: readonly Environment[]): Promise<void> {
  for (const environment of environments) {
    ctx.signal.throwIfAborted();
    try {
      const reasons: string[] = [];
      const inside = withEnvironment(ctx, environment);
      const postpone = (reason: string) => void reasons.push(reason);
      const { id } = environment;
      // What lies on another server than its row.
      const isReached = await passingOver(inside, id, async (inside) => {
        await ctx.hooks.tell(environmentErasing, inside, { environment, postpone });
        return true;
      });
      if (isReached === undefined) continue;
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
