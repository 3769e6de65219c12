import { type meRoutes, scopesInAccount, scopesInEnvironment } from "@jackfield/contract";
import { noteBefore } from "#audit";
import { listEnvironments, listOldNames } from "#environments";
import { AppError, addMs, type SystemContext } from "#foundation";
import { clientAddress, type RouteHandlers } from "#foundation/http";
import { sendSession } from "./answer-session.ts";
import { checkPasskey } from "./passkeys/sign-in-by-passkey.ts";
import { checkPassword } from "./passwords/check-password.ts";
import { hashPassword } from "./passwords/hash-password.ts";
import { requireGoodPassword } from "./passwords/password-rules.ts";
import { passwordSlots } from "./passwords/password-slots.ts";
import { requireUser, type UserActor } from "./require-user.ts";
import { presentSecondFactor } from "./second-factor/present-second-factor.ts";
import { csrfTokenOf } from "./sessions/csrf-token.ts";
import { endSessionRow, endSessionsOf, getSession, listSessions } from "./sessions/store.ts";
import { elevateSession, SESSION_IDLE_MS } from "./sessions/user-session.ts";
import { withPauses } from "./sign-in-pauses/pauses.ts";
import { presentUser } from "./users/present-user.ts";
import {
  findPreferences,
  getAccountName,
  getUser,
  listGrants,
  setPassword,
  toGrantedRole,
  type UserRow,
  updatePreferences,
  updateUserRow,
} from "./users/store.ts";

const MOST_SESSIONS = 200;

export const meHandlers = {
  getMe: async (ctx) => ({ data: await presentMe(ctx, requireUser(ctx)) }),
  updateMe: async (ctx, { body }) => {
    const { userId } = requireUser(ctx);
    const { disabledAt, name } = await getUser(ctx.db, userId);
    noteBefore(ctx, { name });
    await updateUserRow(ctx.db, userId, { name: body.name, disabledAt });
    return { data: await presentUser(ctx, await getUser(ctx.db, userId)) };
  },
  setOwnPreferences: async (ctx, { body }) => {
    await updatePreferences(ctx.db, requireUser(ctx).userId, body);
    return { data: body };
  },
  elevateSession: async (ctx, { body }, exchange) => {
    const { userId, sessionId: id } = requireUser(ctx);
    const user = await getUser(ctx.db, userId);
    const attempt = {
      email: user.email,
      address: clientAddress(exchange.request),
      knownBrowser: id,
    };
    const shown = await withPauses(ctx, attempt, async () => await proveUser(ctx, user, body));
    const { expiresAt, hasSecondFactor: had } = await getSession(ctx.db, id);
    const hasSecondFactor = had || shown !== undefined;
    await sendSession(ctx, exchange, {
      user,
      started: await elevateSession(ctx, { id, expiresAt, hasSecondFactor }),
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

interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
  readonly passkey?: Readonly<Record<string, unknown>> | undefined;
}

/** What was shown besides a password. Throws like `checkPassword`, and sign_in_failed for another user's passkey. */
async function proveUser(
  ctx: SystemContext,
  { id, email }: UserRow,
  { password = "", code, passkey }: Proof,
): Promise<string | undefined> {
  if (passkey === undefined) {
    return (await checkPassword(ctx, { email, password, code })).secondFactor;
  }
  const { id: provedId } = await checkPasskey(ctx, passkey);
  if (provedId !== id) throw new AppError("sign_in_failed", "The passkey is another user's.");
  return "passkey";
}

async function setOwnPassword(
  ctx: SystemContext,
  { userId, sessionId: but }: UserActor,
  password: string,
): Promise<void> {
  await requireGoodPassword(password, await getUser(ctx.db, userId));
  const passwordHash = await passwordSlots.of(ctx).run(async () => await hashPassword(password));
  const now = ctx.clock.now();
  await setPassword(ctx.db, { id: userId, passwordHash, now });
  await endSessionsOf(ctx.db, { userId, now, but });
}

/** The user of a session, and what that one may do where. */
async function presentMe(ctx: SystemContext, { userId, accountId, sessionId }: UserActor) {
  const session = await getSession(ctx.db, sessionId);
  const grants = (await listGrants(ctx.db, userId)).map(toGrantedRole);
  const environments = await listEnvironments(ctx.db, accountId);
  const oldNames = Map.groupBy(
    await listOldNames(ctx.db, accountId),
    ({ environmentId }) => environmentId,
  );
  return {
    user: await presentUser(ctx, await getUser(ctx.db, userId)),
    account: { id: accountId, name: await getAccountName(ctx.db, accountId) },
    account_scopes: scopesInAccount(grants),
    environments: environments
      .map(({ id, name, isProduction }) => {
        const scopes = scopesInEnvironment(grants, { id, isProduction });
        const old = (oldNames.get(id) ?? []).map((each) => each.name);
        return { id, name, is_production: isProduction, scopes, old_names: old };
      })
      .filter(({ scopes }) => scopes.length > 0),
    session: {
      id: sessionId,
      expires_at: session.expiresAt.toISOString(),
      elevated_until: session.elevatedUntil?.toISOString() ?? null,
    },
    second_factor: await presentSecondFactor(ctx, { userId, accountId, grants, session }),
    preferences: await findPreferences(ctx.db, userId),
    csrf_token: await csrfTokenOf(ctx, sessionId),
  };
}
