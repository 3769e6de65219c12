import type { meRoutes } from "@jackfield/contract";
import { AppError, addMs, type SystemContext } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { sendSession } from "./answer-session.ts";
import { checkPassword } from "./passwords/check-password.ts";
import { hashPassword } from "./passwords/hash-password.ts";
import { requireGoodPassword } from "./passwords/password-rules.ts";
import { passwordSlots } from "./passwords/password-slots.ts";
import { presentMe } from "./present-me.ts";
import { requireUser, type UserActor } from "./require-user.ts";
import { endSessionRow, endSessionsOf, getSession, listSessions } from "./sessions/store.ts";
import { elevateSession, SESSION_IDLE_MS } from "./sessions/user-session.ts";
import { withPauses } from "./sign-in-pauses/pauses.ts";
import { presentUser } from "./users/present-user.ts";
import { getUser, setPassword, updateUserRow } from "./users/store.ts";

const MOST_SESSIONS = 200;

export const meHandlers = {
  getMe: async (ctx) => ({ data: await presentMe(ctx, requireUser(ctx)) }),
  updateMe: async (ctx, { body }) => {
    const { userId } = requireUser(ctx);
    const { disabledAt } = await getUser(ctx.db, userId);
    await updateUserRow(ctx.db, userId, { name: body.name, disabledAt });
    return { data: await presentUser(ctx, await getUser(ctx.db, userId)) };
  },
  elevateSession: async (ctx, { body }, exchange) => {
    const { userId, sessionId: id } = requireUser(ctx);
    const user = await getUser(ctx.db, userId);
    const { email } = user;
    const attempt = { email, address: exchange.request.ip, knownBrowser: id };
    const password = body.password;
    await withPauses(ctx, attempt, async () => await checkPassword(ctx, { email, password }));
    const { expiresAt } = await getSession(ctx.db, id);
    await sendSession(ctx, exchange, {
      user,
      started: await elevateSession(ctx, { id, expiresAt }),
    });
  },
  setOwnPassword: async (ctx, { body }) => {
    await setOwnPassword(ctx, requireUser(ctx), body.password);
    return { success: true };
  },
  listOwnSessions: async (ctx) => {
    const { userId, sessionId } = requireUser(ctx);
    const now = ctx.clock.now();
    const usedSince = addMs(now, -SESSION_IDLE_MS);
    const sessions = await listSessions(ctx.db, userId, { now, usedSince, limit: MOST_SESSIONS });
    return {
      data: sessions.map((session) => ({
        id: session.id,
        is_current: session.id === sessionId,
        via: session.via,
        address: session.address,
        user_agent: session.userAgent,
        created_at: session.createdAt.toISOString(),
        last_used_at: session.lastUsedAt.toISOString(),
        expires_at: session.expiresAt.toISOString(),
      })),
    };
  },
  endOwnSession: async (ctx, { params: { id } }) => {
    const { userId } = requireUser(ctx);
    if (await endSessionRow(ctx.db, { id, userId, now: ctx.clock.now() })) return undefined;
    throw new AppError("not_found", `You have no session ${id}.`);
  },
  endOtherSessions: async (ctx) => {
    const { userId, sessionId: but } = requireUser(ctx);
    await endSessionsOf(ctx.db, { userId, now: ctx.clock.now(), but });
    return undefined;
  },
} satisfies RouteHandlers<typeof meRoutes>;

async function setOwnPassword(
  ctx: SystemContext,
  { userId, sessionId: but }: UserActor,
  password: string,
): Promise<void> {
  requireGoodPassword(password, await getUser(ctx.db, userId));
  const passwordHash = await passwordSlots.of(ctx).run(async () => await hashPassword(password));
  const now = ctx.clock.now();
  await setPassword(ctx.db, { id: userId, passwordHash, now });
  await endSessionsOf(ctx.db, { userId, now, but });
}
