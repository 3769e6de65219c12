import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { GrantedRole } from "@jackfield/contract";
import { AppError, addMs, MINUTE, type SystemContext } from "#foundation";
import { defineCache, type Found } from "#foundation/cache";
import { lookupHash } from "#vault";
import { requireCsrfToken } from "./csrf-token.ts";
import { requireOwnPage } from "./own-pages.ts";
import { readSessionCookie } from "./session-cookie.ts";
import { findSessionByHash, type GrantJson, markSessionUsed } from "./store.ts";
import { SESSION_IDLE_MS, USER_SESSION } from "./user-session.ts";

/** Who has signed in, by the session of a call. */
export interface SignedIn {
  readonly userId: string;
  readonly userName: string;
  readonly accountId: string;
  readonly sessionId: string;
  readonly grants: readonly GrantedRole[];
  readonly expiresAt: Date;
  readonly elevatedUntil: Date | undefined;
  /** A role of the user asks for more than a password, and the session was begun with no more. */
  readonly lacksSecondFactor: boolean;
}

interface KnownSession {
  readonly signedIn: SignedIn;
  lastUsedMs: number;
}

/** How far `last_used_at` may lag behind, so that it costs a write per session and minute at most. */
const LAST_USED_PRECISION_MS = MINUTE;

const knownSessions = defineCache<KnownSession>({ maxEntries: 10_000 });

/**
 * Who calls by the session in a request's cookie. It counts only in calls that a page of this installation makes, with
 * the session's CSRF token unless `withoutCsrf`; throws not_signed_in and untrusted_request.
 */
export async function authenticateUser(
  ctx: SystemContext,
  { headers, withoutCsrf }: { headers: IncomingHttpHeaders; withoutCsrf: boolean },
): Promise<SignedIn> {
  const token = readSessionCookie(ctx.settings, headers.cookie);
  if (token === undefined) throw new AppError("not_signed_in");
  requireOwnPage(ctx.settings, headers);
  const signedIn = await findSignedIn(ctx, token);
  if (!withoutCsrf) {
    await requireCsrfToken(ctx, { sessionId: signedIn.sessionId, sent: headers["svc-csrf"] });
  }
  return signedIn;
}

/** The session of this secret; throws not_signed_in when it has ended. */
async function findSignedIn(ctx: SystemContext, token: string): Promise<SignedIn> {
  const known = await knownSessions.find(
    ctx,
    hash("sha256", token),
    async () => await loadSession(ctx, token),
  );
  if (known === undefined) throw new AppError("not_signed_in");
  const now = ctx.clock.now();
  const idleSince = addMs(now, -SESSION_IDLE_MS).getTime();
  if (known.signedIn.expiresAt <= now || known.lastUsedMs <= idleSince) {
    throw new AppError("not_signed_in", "The session has expired: sign in again.");
  }
  if (now.getTime() - known.lastUsedMs > LAST_USED_PRECISION_MS) {
    known.lastUsedMs = now.getTime();
    await markSessionUsed(ctx.db, known.signedIn.sessionId, now);
  }
  return known.signedIn;
}

async function loadSession(
  ctx: SystemContext,
  token: string,
): Promise<Found<KnownSession> | undefined> {
  const row = await findSessionByHash(ctx.db, await lookupHash(ctx, USER_SESSION, token));
  if (row === undefined) return undefined;
  const signedIn: SignedIn = {
    userId: row.user_id,
    userName: row.name,
    accountId: row.account_id,
    sessionId: row.id,
    grants: row.grants.map(toGrant),
    expiresAt: row.expires_at,
    elevatedUntil: row.elevated_until ?? undefined,
    lacksSecondFactor:
      !row.has_second_factor &&
      row.grants.some(({ role }) => row.second_factor_roles.includes(role)),
  };
  return {
    value: { signedIn, lastUsedMs: row.last_used_at.getTime() },
    rows: [
      `user_sessions ${row.id}`,
      `users ${row.user_id}`,
      `user_grants ${row.user_id}`,
      `accounts ${row.account_id}`,
    ],
  };
}

function toGrant({ role, environments, environment_id, runs_code }: GrantJson): GrantedRole {
  return {
    role,
    environments,
    environmentId: environment_id ?? undefined,
    runsCode: runs_code,
  };
}
