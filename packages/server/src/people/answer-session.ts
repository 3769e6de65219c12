import type { SystemContext } from "#foundation";
import { catchUpCaches } from "#foundation/cache";
import { withTransaction } from "#foundation/db";
import { clientAddress, type RawExchange } from "#foundation/http";
import { recordSignIn } from "./record-sign-in.ts";
import { writeKnownBrowser } from "./sessions/known-browser.ts";
import { type SessionStart, type StartedSession, startSession } from "./sessions/user-session.ts";
import { requireLocalSignIn } from "./sso/require-local-sign-in.ts";
import { presentUser } from "./users/present-user.ts";
import type { UserRow } from "./users/store.ts";

export interface NewSession extends Pick<SessionStart, "via"> {
  readonly user: UserRow;
  /** What was shown besides, or what makes up for it; undefined for a password, or a link, alone. */
  readonly secondFactor?: string | undefined;
}

/** Begins a session of the user in the browser that calls. */
export async function answerSession(
  ctx: SystemContext,
  exchange: RawExchange,
  wanted: NewSession,
): Promise<void> {
  const { started } = await startSessionOf(ctx, exchange, wanted);
  await sendSession(ctx, exchange, { user: wanted.user, started });
}

/** Begins a session, and makes the cookies of the browser that it is in. */
export async function startSessionOf(
  ctx: SystemContext,
  { request }: RawExchange,
  { user, via, secondFactor }: NewSession,
): Promise<{ started: StartedSession; cookies: string[] }> {
  if (via !== "sso" && via !== "setup") await requireLocalSignIn(ctx, user);
  const address = clientAddress(request);
  const userAgent = request.headers["user-agent"];
  const started = await withTransaction(ctx, async (ctx) => {
    const action = `signIn.${via}`;
    await recordSignIn(ctx, { user, action, secondFactor, outcome: "done", code: null });
    const hasSecondFactor = secondFactor !== undefined;
    return await startSession(ctx, { userId: user.id, via, hasSecondFactor, address, userAgent });
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
