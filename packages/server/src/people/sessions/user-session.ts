import { randomBytes, randomUUID } from "node:crypto";
import { AppError, addMs, DAY, HOUR, MINUTE, SECOND, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { csrfTokenOf } from "./csrf-token.ts";
import { writeSessionCookie } from "./session-cookie.ts";
import { insertSession, renewSessionRow, type SessionRow } from "./store.ts";

/** What the hashes of sessions' secrets are made for. */
export const USER_SESSION = "user_session";

export const SESSION_IDLE_MS = 12 * HOUR;
export const SESSION_LIFE_MS = 7 * DAY;
/** How long a proof of identity holds. */
export const ELEVATED_MS = 10 * MINUTE;

export interface SessionStart {
  readonly userId: string;
  readonly via: "setup" | "password" | "link" | "passkey" | "sso";
  /** Whether more than a password was shown. */
  readonly hasSecondFactor: boolean;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

export interface StartedSession {
  readonly cookie: string;
  readonly csrfToken: string;
  readonly expiresAt: Date;
}

/** The session under a new secret, with a fresh proof of identity; throws not_signed_in when it has ended. */
export async function elevateSession(
  ctx: SystemContext,
  { id, expiresAt, hasSecondFactor }: Pick<SessionRow, "id" | "expiresAt" | "hasSecondFactor">,
): Promise<StartedSession> {
  const token = newSessionToken();
  const now = ctx.clock.now();
  const tokenHash = await lookupHash(ctx, USER_SESSION, token);
  const elevatedUntil = addMs(now, ELEVATED_MS);
  if (!(await renewSessionRow(ctx.db, { id, tokenHash, elevatedUntil, hasSecondFactor }))) {
    throw new AppError("not_signed_in");
  }
  const maxAgeSeconds = Math.floor((expiresAt.getTime() - now.getTime()) / SECOND);
  const cookie = writeSessionCookie(ctx.settings, { token, maxAgeSeconds });
  return { cookie, csrfToken: await csrfTokenOf(ctx, id), expiresAt };
}

function newSessionToken(): string {
  return randomBytes(32).toString("base64url");
}

const LONGEST_USER_AGENT = 300;

/** Begins a session of 32 random bytes, which are stored as a keyed hash; who has just signed in needs no step-up. */
export async function startSession(
  ctx: SystemContext,
  { userId, via, hasSecondFactor, address, userAgent }: SessionStart,
): Promise<StartedSession> {
  const token = newSessionToken();
  const now = ctx.clock.now();
  const expiresAt = addMs(now, SESSION_LIFE_MS);
  const id = randomUUID();
  await insertSession(ctx.db, {
    id,
    userId,
    tokenHash: await lookupHash(ctx, USER_SESSION, token),
    via,
    address: address ?? null,
    userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
    createdAt: now,
    lastUsedAt: now,
    expiresAt,
    elevatedUntil: addMs(now, ELEVATED_MS),
    hasSecondFactor,
  });
  const maxAgeSeconds = SESSION_LIFE_MS / SECOND;
  return {
    cookie: writeSessionCookie(ctx.settings, { token, maxAgeSeconds }),
    csrfToken: await csrfTokenOf(ctx, id),
    expiresAt,
  };
}
