import { getEnvironment } from "#environments";
import { AppError, type Environment, type InstallationContext } from "#platform";
import { lookupHash } from "#vault";
import { SESSION_TOKEN } from "./create-session.ts";
import { type ConnectSession, isWellFormedSessionToken } from "./session.ts";
import { findSessionByHash } from "./store.ts";

export interface AuthenticatedSession {
  readonly environment: Environment;
  readonly sessionId: string;
  readonly session: ConnectSession;
}

/** Finds the session of a token; throws the 401 codes of sessions. */
export async function authenticateSession(
  ctx: InstallationContext,
  token: string,
): Promise<AuthenticatedSession> {
  if (!isWellFormedSessionToken(token)) {
    throw new AppError(
      "invalid_connect_session_token_format",
      "This is not a connect session token: they are `svc_connect_session_` and 64 hex digits.",
    );
  }
  const hash = await lookupHash(ctx, SESSION_TOKEN, token);
  const session = await findSessionByHash(ctx.db, hash, ctx.clock.now());
  if (session === undefined) throw new AppError("unknown_connect_session_token");
  const environment = await getEnvironment(ctx, session.environmentId);
  return { environment, sessionId: session.id, session };
}
