import { reasonOf, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { DueWork } from "#tasks";
import { FOLLOWED_WITHIN_MS, type SqlAccess } from "../sql-access.ts";
import { claimAccesses, findNextFollow, lockAccess } from "../store.ts";
import { dropViews, VIEWS_VERSION } from "./store.ts";
import { areBehind, updateViews } from "./update-views.ts";

/** Environments that are looked at in one claim. */
const AT_ONCE = 20;

/** Gives each new model its view, one environment after the other. */
export const followModels: DueWork = {
  name: "sql-access.follow",
  async claim(ctx) {
    if (ctx.settings.sqlAccess === undefined) return { claimed: 0, nextDueAt: undefined };
    const claim = { now: ctx.clock.now(), everyMs: FOLLOWED_WITHIN_MS, limit: AT_ONCE };
    const accesses = await claimAccesses(ctx.db, claim);
    for (const access of accesses) await follow(ctx, access);
    return { claimed: accesses.length, nextDueAt: await findNextFollow(ctx.db) };
  },
};

async function follow(ctx: SystemContext, access: SqlAccess): Promise<void> {
  const { role } = access;
  const isOld = access.viewsVersion !== VIEWS_VERSION;
  // A role that is missing, or of another database, has no views until it gets a new password.
  if (!access.isOfDatabase) return;
  try {
    if (!isOld && !(await areBehind(ctx.db, access))) return;
    await withTransaction(ctx, async ({ db }) => {
      if (!(await lockAccess(db, role))) return;
      if (isOld) await dropViews(db, access.schema, Object.keys(access.views));
      await updateViews(db, isOld ? { ...access, views: {} } : access);
    });
  } catch (error) {
    ctx.log.warn("sql_access.views_behind", { role, reason: reasonOf(error) });
  }
}
