import type { signInRoutes } from "@jackfield/contract";
import type { SystemContext } from "#platform";
import { catchUpCaches } from "#platform/cache";
import type { RawExchange, RouteHandlers } from "#platform/http";
import { answerSession } from "./answer-session.ts";
import { claimSetupLink } from "./links/claim-setup-link.ts";
import { redeemLink } from "./links/redeem-link.ts";
import { checkPassword } from "./passwords/check-password.ts";
import { endOwnSession } from "./sessions/end-own-session.ts";
import { readKnownBrowser } from "./sessions/known-browser.ts";
import { requireOwnPage } from "./sessions/own-pages.ts";
import { clearSessionCookie } from "./sessions/session-cookie.ts";
import { withPauses } from "./sign-in-pauses/pauses.ts";
import { hasOwner } from "./users/store.ts";

export const signInHandlers = {
  getSignInState: async (ctx) => ({
    data: { setup_needed: !(await hasOwner(ctx.db)), ways: { password: true } },
  }),
  claimSetupLink: async (ctx, { body }, exchange) => {
    requireOwnPage(ctx.settings, exchange.request.headers);
    const user = await claimSetupLink(ctx, { ...body, password: body.password });
    await answerSession(ctx, exchange, { user, via: "setup" });
  },
  signInByPassword: async (ctx, { body }, exchange) => {
    requireOwnPage(ctx.settings, exchange.request.headers);
    const attempt = await attemptOf(ctx, exchange, body.email);
    const user = await withPauses(ctx, attempt, async () => await checkPassword(ctx, body));
    await answerSession(ctx, exchange, { user, via: "password" });
  },
  redeemLink: async (ctx, { body }, exchange) => {
    requireOwnPage(ctx.settings, exchange.request.headers);
    const user = await redeemLink(ctx, { ...body, password: body.password });
    await answerSession(ctx, exchange, { user, via: "link" });
  },
  signOut: async (ctx, _input, { request, reply }) => {
    requireOwnPage(ctx.settings, request.headers);
    await endOwnSession(ctx, request.headers.cookie);
    await catchUpCaches(ctx);
    await reply.status(204).header("set-cookie", clearSessionCookie(ctx.settings)).send();
  },
} satisfies RouteHandlers<typeof signInRoutes>;

async function attemptOf(ctx: SystemContext, { request }: RawExchange, email: string) {
  const cookieHeader = request.headers.cookie;
  const knownBrowser = await readKnownBrowser(ctx, { cookieHeader, email });
  return { email, address: request.ip, knownBrowser };
}
