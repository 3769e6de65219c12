import type { SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { readSessionCookie } from "./session-cookie.ts";
import { endSessionRow, findSessionByHash } from "./store.ts";
import { USER_SESSION } from "./user-session.ts";

/** Ends the session of a request's cookies; without one nothing happens. */
export async function endOwnSession(
  ctx: SystemContext,
  cookieHeader: string | undefined,
): Promise<void> {
  const token = readSessionCookie(ctx.settings, cookieHeader);
  if (token === undefined) return;
  const session = await findSessionByHash(ctx.db, await lookupHash(ctx, USER_SESSION, token));
  if (session === undefined) return;
  const { id, user_id: userId } = session;
  await endSessionRow(ctx.db, { id, userId, now: ctx.clock.now() });
}
