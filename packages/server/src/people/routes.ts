import type { meRoutes, signInRoutes } from "@jackfield/contract";
import type { SystemContext } from "#platform";
import type { RawExchange, RouteHandlers } from "#platform/http";
import { presentMe } from "./present-me.ts";
import { requireUser } from "./require-user.ts";
import { endOwnSession } from "./sessions/end-own-session.ts";
import { requireOwnPage } from "./sessions/own-pages.ts";
import { clearSessionCookie } from "./sessions/session-cookie.ts";
import { type SessionStart, startSession } from "./sessions/user-session.ts";
import { checkPassword, claimSetupLink } from "./sign-in.ts";
import { presentUser } from "./users/present-user.ts";
import { hasOwner, type UserRow } from "./users/store.ts";

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
    const user = await checkPassword(ctx, body);
    await answerSession(ctx, exchange, { user, via: "password" });
  },
  signOut: async (ctx, _input, { request, reply }) => {
    requireOwnPage(ctx.settings, request.headers);
    await endOwnSession(ctx, request.headers.cookie);
    await reply.status(204).header("set-cookie", clearSessionCookie(ctx.settings)).send();
  },
} satisfies RouteHandlers<typeof signInRoutes>;

export const meHandlers = {
  getMe: async (ctx) => {
    return { data: await presentMe(ctx, requireUser(ctx)) };
  },
} satisfies RouteHandlers<typeof meRoutes>;

async function answerSession(
  ctx: SystemContext,
  { request, reply }: RawExchange,
  { user, via }: { user: UserRow; via: SessionStart["via"] },
): Promise<void> {
  const { ip: address, headers } = request;
  const userAgent = headers["user-agent"];
  const started = await startSession(ctx, { userId: user.id, via, address, userAgent });
  await reply
    .status(200)
    .headers({ "set-cookie": started.cookie, "cache-control": "no-store" })
    .send({
      data: {
        user: await presentUser(ctx, user),
        csrf_token: started.csrfToken,
        expires_at: started.expiresAt.toISOString(),
      },
    });
}
