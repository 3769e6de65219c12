import type { SystemContext } from "#platform";
import { catchUpCaches } from "#platform/cache";
import type { RawExchange } from "#platform/http";
import { writeKnownBrowser } from "./sessions/known-browser.ts";
import { type SessionStart, type StartedSession, startSession } from "./sessions/user-session.ts";
import { presentUser } from "./users/present-user.ts";
import type { UserRow } from "./users/store.ts";

/** Begins a session of the user in the browser that calls. */
export async function answerSession(
  ctx: SystemContext,
  exchange: RawExchange,
  { user, via }: { user: UserRow; via: SessionStart["via"] },
): Promise<void> {
  const { ip: address, headers } = exchange.request;
  const userAgent = headers["user-agent"];
  const started = await startSession(ctx, { userId: user.id, via, address, userAgent });
  await sendSession(ctx, exchange, { user, started });
}

/** Sends the cookie of a session, and what its pages have to know. */
export async function sendSession(
  ctx: SystemContext,
  { reply }: RawExchange,
  { user, started }: { user: UserRow; started: StartedSession },
): Promise<void> {
  const cookies = [started.cookie, await writeKnownBrowser(ctx, user.email)];
  // Sessions that ended on the way here are refused in the next call.
  await catchUpCaches(ctx);
  await reply
    .status(200)
    .headers({ "set-cookie": cookies, "cache-control": "no-store" })
    .send({
      data: {
        user: await presentUser(ctx, user),
        csrf_token: started.csrfToken,
        expires_at: started.expiresAt.toISOString(),
      },
    });
}
