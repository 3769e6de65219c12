import { addMs, MINUTE, reasonOf, SECOND, type SystemContext } from "#foundation";
import type { DueWork } from "#tasks";
import { closeLogin, endLongSessions, endSessions, suspendLockHolders } from "./login/store.ts";
import { listRoles, noteSuspended } from "./store.ts";

const EVERY_MS = 5 * SECOND;
/** A transaction holds up vacuum, migrations and the removal of environments; its own limits a session can change. */
const LONGEST_TRANSACTION_MS = 10 * MINUTE;

/** In each process: nothing that a login can do, such as taking a lock, may keep it from being done. */
export const guardLogins: DueWork = {
  name: "sql-access.guard",
  async claim(ctx) {
    if (ctx.settings.sqlAccess !== undefined) await guard(ctx);
    return { claimed: 0, nextDueAt: addMs(ctx.clock.now(), EVERY_MS) };
  },
};

export async function guard(
  { db, log, clock }: Pick<SystemContext, "db" | "log" | "clock">,
  longestMs = LONGEST_TRANSACTION_MS,
): Promise<void> {
  await suspendLockHolders(db);
  const roles = await listRoles(db);
  if (roles.length === 0) return;
  await noteSuspended(db, clock.now());
  const ended = await endLongSessions(db, { roles, longestMs });
  if (ended > 0) log.warn("sql_access.sessions_ended", { sessions: ended });
}

/** Called at start and every day: without the operator's setting nobody signs in. */
export async function suspendWhileOff(ctx: SystemContext): Promise<void> {
  if (ctx.settings.sqlAccess !== undefined) return;
  for (const role of await listRoles(ctx.db)) {
    try {
      await closeLogin(ctx.db, role);
      await endSessions(ctx.db, role);
    } catch (error) {
      ctx.log.error("sql_access.not_suspended", { role, reason: reasonOf(error) });
    }
  }
}
