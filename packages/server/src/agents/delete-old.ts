import { addMs, DAY, type SystemContext } from "#foundation";
import { type DayTable, dropOldDays } from "#foundation/db/day-partitions";
import { deleteDaysBefore } from "./calls/days/store.ts";
import { deleteScriptsBefore } from "./code/store.ts";
import { deleteDeferredBefore } from "./deferred/store.ts";
import { deleteOldItems } from "./oauth/store.ts";
import { deleteOldSeen } from "./provenance/provenance.ts";
import { deleteSessionsBefore } from "./sessions/store.ts";
import { deleteAuthorizationsBefore } from "./sign-in/store.ts";

const KEEP_SESSIONS_MS = 31 * DAY;

export const agentDayTables: readonly DayTable[] = [{ name: "agent_calls", time: "at" }];

/** Removes sessions that ended long ago; what agents called is kept as long as the audit log. */
export async function deleteOldAgentRows(ctx: SystemContext): Promise<void> {
  const now = ctx.clock.now();
  await deleteSessionsBefore(ctx.db, addMs(now, -KEEP_SESSIONS_MS));
  await deleteDaysBefore(ctx.db, addMs(now, -DAY));
  await deleteAuthorizationsBefore(ctx.db, now);
  await deleteScriptsBefore(ctx.db, now);
  await deleteDeferredBefore(ctx.db, now);
  await deleteOldSeen(ctx);
  await deleteOldItems(ctx.db, { now, unusedBefore: addMs(now, -DAY) });
  const before = addMs(now, -ctx.settings.auditRetentionMs);
  for (const table of agentDayTables) await dropOldDays(ctx, table, { before });
}
