import type { signInRoutes } from "@jackfield/contract";
import { ensureAccount } from "#accounts";
import type { SystemContext } from "#foundation";
import { catchUpCaches } from "#foundation/cache";
import { clientAddress, type RawExchange, type RouteHandlers } from "#foundation/http";
import { answerSession } from "./answer-session.ts";
import { claimSetupLink } from "./links/claim-setup-link.ts";
import { redeemLink } from "./links/redeem-link.ts";
import { takesPasskeys } from "./passkeys/relying-party.ts";
import { checkPassword } from "./passwords/check-password.ts";
import { endOwnSession } from "./sessions/end-own-session.ts";
import { readKnownBrowser } from "./sessions/known-browser.ts";
import { requireOwnPage } from "./sessions/own-pages.ts";
import { clearSessionCookie } from "./sessions/session-cookie.ts";
import { withPauses } from "./sign-in-pauses/pauses.ts";
import { listProviderNames } from "./sso/store.ts";
import { hasOwner } from "./users/store.ts";

export const signInHandlers = {
  getSignInState: async (ctx, { query }) => ({
    data: {
      setup_needed: !(await hasOwner(ctx.db)),
      ways: {
        password: true,
        passkey: takesPasskeys(ctx.settings),
        sso: await listProviderNames(ctx.db, await accountIn(ctx, query.account)),
      },
    },
  }),
  claimSetupLink: async (ctx, { body }, exchange) => {
    requireOwnPage(ctx.settings, exchange.request.headers);
    const user = await claimSetupLink(ctx, { ...body, password: body.password });
    await answerSession(ctx, exchange, { user, via: "setup" });
  },
  signInByPassword: async (ctx, { body }, exchange) => {
    requireOwnPage(ctx.settings, exchange.request.headers);
    const attempt = await attemptOf(ctx, exchange, body.email);
    const shown = await withPauses(ctx, attempt, async () => await checkPassword(ctx, body));
    await answerSession(ctx, exchange, { ...shown, via: "password" });
  },
  redeemLink: async (ctx, { body }, exchange) => {
    requireOwnPage(ctx.settings, exchange.request.headers);
    const attemptOfUser = async (email: string) => await attemptOf(ctx, exchange, email);
    const redeemed = await redeemLink(ctx, { ...body, attemptOf: attemptOfUser });
    await answerSession(ctx, exchange, { ...redeemed, via: "link" });
  },
  signOut: async (ctx, _input, { request, reply }) => {
    requireOwnPage(ctx.settings, request.headers);
    await endOwnSession(ctx, request.headers.cookie);
    await catchUpCaches(ctx);
    await reply.status(204).header("set-cookie", clearSessionCookie(ctx.settings)).send();
  },
} satisfies RouteHandlers<typeof signInRoutes>;

/** Whose identity provider is shown: who asks is not known yet, so no others are named. */
async function accountIn(ctx: SystemContext, asked: string | undefined): Promise<string> {
  return asked?.toLowerCase() ?? (await ensureAccount(ctx)).accountId;
}

async function attemptOf(ctx: SystemContext, { request }: RawExchange, email: string) {
  const cookieHeader = request.headers.cookie;
  const knownBrowser = await readKnownBrowser(ctx, { cookieHeader, email });
  return { email, address: clientAddress(request), knownBrowser };
}
