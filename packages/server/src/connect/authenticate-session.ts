import { getEnvironment, isApiKey } from "#environments";
import { AppError, type Environment, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { type ConnectSession, isWellFormedSessionToken, SESSION_TOKEN } from "./session.ts";
import { findSessionByHash } from "./store.ts";

export interface AuthenticatedSession {
  readonly environment: Environment;
  readonly sessionId: string;
  readonly session: ConnectSession;
}

/** Finds the session of a token; throws the 401 codes of sessions. */
export async function authenticateSession(
  ctx: SystemContext,
  token: string,
): Promise<AuthenticatedSession> {
  if (!isWellFormedSessionToken(token)) {
    throw new AppError(
      "invalid_connect_session_token_format",
      isApiKey(token)
        ? "This is an API key; this route takes a connect session token, which `POST /connect/sessions` makes."
        : "This is not a connect session token: they are `svc_connect_session_` and 64 hex digits.",
    );
  }
  const session = await findSessionOfToken(ctx, token);
  if (session === undefined || session.expiresAt <= ctx.clock.now()) {
    throw new AppError("unknown_connect_session_token");
  }
  const environment = await getEnvironment(ctx, session.environmentId);
  return { environment, sessionId: session.id, session };
}

/** The session of a token, ended or not; undefined for a text that is no token of ours. */
export async function findSessionOfToken(
  ctx: SystemContext,
  token: string,
): Promise<ConnectSession | undefined> {
  if (!isWellFormedSessionToken(token)) return undefined;
  return await findSessionByHash(ctx.db, await lookupHash(ctx, SESSION_TOKEN, token));
}
