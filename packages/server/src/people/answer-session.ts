import type { SystemContext } from "#platform";
import { catchUpCaches } from "#platform/cache";
import { withTransaction } from "#platform/db";
import type { RawExchange } from "#platform/http";
import { recordSignIn } from "./record-sign-in.ts";
import { writeKnownBrowser } from "./sessions/known-browser.ts";
import { type SessionStart, type StartedSession, startSession } from "./sessions/user-session.ts";
import { requireLocalSignIn } from "./sso/require-local-sign-in.ts";
import { presentUser } from "./users/present-user.ts";
import type { UserRow } from "./users/store.ts";

/** Begins a session of the user in the browser that calls. */
export async function answerSession(
  ctx: SystemContext,
  exchange: RawExchange,
  { user, via }: { user: UserRow; via: SessionStart["via"] },
): Promise<void> {
  const { started } = await startSessionOf(ctx, exchange, { user, via });
  await sendSession(ctx, exchange, { user, started });
}

/** Begins a session, and makes the cookies of the browser that it is in. */
export async function startSessionOf(
  ctx: SystemContext,
  { request }: RawExchange,
  { user, via }: { user: UserRow; via: SessionStart["via"] },
): Promise<{ started: StartedSession; cookies: string[] }> {
  if (via !== "sso" && via !== "setup") await requireLocalSignIn(ctx, user);
  const { ip: address, headers } = request;
  const userAgent = headers["user-agent"];
  const started = await withTransaction(ctx, async (ctx) => {
    await recordSignIn(ctx, { user, action: `signIn.${via}`, outcome: "done", code: null });
    return await startSession(ctx, { userId: user.id, via, address, userAgent });
  });
  return { started, cookies: [started.cookie, await writeKnownBrowser(ctx, user.email)] };
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
