import { addMs, DAY, type SystemContext } from "#foundation";
import { deleteFlowsBefore } from "../attempts/store.ts";
import { deleteLinksBefore } from "../links/store.ts";
import { deletePopupsBefore } from "../popup-sockets/store.ts";
import { deleteSessionsBefore } from "../store.ts";

const KEEP_SESSIONS_MS = 31 * DAY;
const KEEP_FLOWS_MS = 2 * DAY;

/** Removes sessions and attempts that ended long ago. */
export async function deleteOldSessions(ctx: SystemContext): Promise<void> {
  const now = ctx.clock.now();
  await deleteFlowsBefore(ctx.db, addMs(now, -KEEP_FLOWS_MS));
  await deletePopupsBefore(ctx.db, addMs(now, -KEEP_FLOWS_MS));
  await deleteSessionsBefore(ctx.db, addMs(now, -KEEP_SESSIONS_MS));
  await deleteLinksBefore(ctx.db, addMs(now, -KEEP_SESSIONS_MS));
}
