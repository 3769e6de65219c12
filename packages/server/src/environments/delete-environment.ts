import { noteBefore } from "#audit";
import {
  AppError,
  accountOf,
  type EnvironmentId,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { environmentDeleted } from "./hooks.ts";
import {
  deleteEnvironmentRow,
  type EnvironmentSummary,
  listEnvironments,
  lockEnvironment,
} from "./store.ts";

/**
 * Deletes an environment of the account: its keys stop working when this returns, what is in it goes after.
 * Throws not_found, and cannot_delete_prod_environment for a production one.
 */
export async function deleteEnvironment(ctx: SystemContext, id: EnvironmentId): Promise<void> {
  const accountId = accountOf(ctx.actor);
  await withTransaction(ctx, async (ctx) => {
    const found = await lockEnvironment(ctx.db, id);
    if (found === undefined || found.accountId !== accountId) {
      throw new AppError("not_found", `The account has no environment ${id}.`);
    }
    if (found.isProduction) {
      throw new AppError(
        "cannot_delete_prod_environment",
        `${found.name} is a production environment, which cannot be deleted.`,
      );
    }
    noteBefore(ctx, { name: found.name, is_production: found.isProduction });
    await removeEnvironment(ctx, found);
  });
}

/** All of an account that goes, production ones too. */
export async function deleteEnvironmentsOf(ctx: SystemContext, accountId: string): Promise<void> {
  for (const { id } of await listEnvironments(ctx.db, accountId)) {
    ctx.signal.throwIfAborted();
    await withTransaction(ctx, async (ctx) => {
      const found = await lockEnvironment(ctx.db, id);
      if (found !== undefined) await removeEnvironment(ctx, found);
    });
  }
}

async function removeEnvironment(ctx: SystemContext, found: EnvironmentSummary): Promise<void> {
  const { id, name, accountId } = found;
  await deleteEnvironmentRow(ctx.db, id, ctx.clock.now());
  const environment = { id, name, accountId };
  await ctx.hooks.tell(environmentDeleted, withEnvironment(ctx, environment), environment);
}
