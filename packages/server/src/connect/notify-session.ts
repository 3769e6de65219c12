import type { SystemContext } from "#foundation";
import { notifyDue } from "#tasks";

/** Wakes all that wait for this session, in every process, when the caller's transaction commits. */
export async function notifySession(
  ctx: Pick<SystemContext, "db">,
  sessionId: string,
): Promise<void> {
  await notifyDue(ctx, nameOf(sessionId));
}

/** Calls `wake` when something has happened to the session, and when that may have been missed. */
export function listenToSession(
  ctx: Pick<SystemContext, "notices">,
  sessionId: string,
  wake: () => void,
): Disposable {
  return ctx.notices.subscribe(nameOf(sessionId), wake);
}

function nameOf(sessionId: string): string {
  return `connect-session:${sessionId}`;
}
