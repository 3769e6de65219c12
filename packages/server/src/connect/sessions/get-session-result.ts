import { findConnectionByUuid } from "#connections";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { findIntegrationById } from "#integrations";
import type { ConnectSession, SessionAttempt, SessionError } from "../session.ts";
import { findAttempt, listAttempts } from "../store.ts";
import { getOwnSession } from "./get-own-session.ts";

export interface SessionResult {
  readonly state: ConnectSession["state"];
  readonly attempt_id?: string;
  readonly connection_id?: string;
  readonly provider_config_key?: string;
  readonly is_pending?: boolean;
  readonly error?: SessionError;
}

/** How far an attempt of the calling session is, the latest unless one is named. */
export async function getSessionResult(
  ctx: EnvironmentContext,
  attemptId: string | undefined,
): Promise<SessionResult> {
  const session = await getOwnSession(ctx);
  return await describeResult(ctx, await pickAttempt(ctx, session, attemptId));
}

/** The session's latest attempt, or the one that the client calls so; one that has not begun is waiting. */
export async function pickAttempt(
  ctx: EnvironmentContext,
  session: ConnectSession,
  attemptId: string | undefined,
): Promise<SessionAttempt> {
  if (attemptId === undefined) return session;
  const found = await findAttempt(ctx.db, ctx.environment.id, {
    sessionId: session.id,
    attemptId,
  });
  if (found !== undefined) return found;
  // A server of an earlier release notes only the latest.
  if (session.attemptId === attemptId) return session;
  const unknown = { connectionUuid: undefined, isPending: false, error: undefined };
  return { ...unknown, state: "waiting", attemptId };
}

// Those of an end user are a handful; of more, the latest are shown.
const LISTED_ATTEMPTS = 50;

/** How far the latest attempts of a session are, newest first. */
export async function listResults(
  ctx: EnvironmentContext,
  { id }: ConnectSession,
): Promise<SessionResult[]> {
  const wanted = { sessionId: id, limit: LISTED_ATTEMPTS };
  const results: SessionResult[] = [];
  for (const attempt of await listAttempts(ctx.db, ctx.environment.id, wanted)) {
    results.push(await describeResult(ctx, attempt));
  }
  return results;
}

/** The connection is not named once it has been deleted. */
export async function describeResult(
  ctx: EnvironmentContext,
  { state, connectionUuid, isPending, error, attemptId }: SessionAttempt,
): Promise<SessionResult> {
  const attempt = attemptId === undefined ? {} : { attempt_id: attemptId };
  if (state !== "success" || connectionUuid === undefined) {
    return { state, ...attempt, ...(error === undefined ? {} : { error }) };
  }
  const made = await nameConnection(ctx, connectionUuid);
  return { state, ...attempt, ...made, ...(isPending ? { is_pending: true } : {}) };
}

async function nameConnection(ctx: EnvironmentContext, uuid: ConnectionUuid) {
  const connection = await findConnectionByUuid(ctx, uuid);
  if (connection === undefined) return {};
  const integration = await findIntegrationById(ctx, connection.integrationId);
  if (integration === undefined) return {};
  return { connection_id: connection.connectionId, provider_config_key: integration.uniqueKey };
}
