import assert from "node:assert";
import { getConnectionByUuid } from "#connections";
import { getIntegrationById } from "#integrations";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#platform";
import type { ConnectSession, SessionError } from "./session.ts";
import { findSession } from "./store.ts";

export interface SessionResult {
  readonly state: ConnectSession["state"];
  readonly connectionId?: string | undefined;
  readonly integrationKey?: string | undefined;
  readonly error?: SessionError | undefined;
}

/** How far the calling session is; the connection is not named once it has been deleted. */
export async function getSessionResult(ctx: EnvironmentContext): Promise<SessionResult> {
  assert(ctx.actor.kind === "session");
  const session = await findSession(ctx.db, ctx.environment.id, ctx.actor.sessionId);
  if (session === undefined) throw new AppError("unknown_connect_session_token");
  const { state, connectionUuid, error } = session;
  if (connectionUuid === undefined) return { state, error };
  return { state, ...(await nameConnection(ctx, connectionUuid)) };
}

async function nameConnection(ctx: EnvironmentContext, uuid: ConnectionUuid) {
  try {
    const { connectionId, integrationId } = await getConnectionByUuid(ctx, uuid);
    const { uniqueKey } = await getIntegrationById(ctx, integrationId);
    return { connectionId, integrationKey: uniqueKey };
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return {};
    throw error;
  }
}
