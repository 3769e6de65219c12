import { getConnectionByUuid } from "#connections";
import { getIntegrationById } from "#integrations";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#platform";
import type { ConnectSession, SessionError } from "../session.ts";
import { getOwnSession } from "./get-own-session.ts";

export interface SessionResult {
  readonly state: ConnectSession["state"];
  readonly attempt_id?: string;
  readonly connection_id?: string;
  readonly provider_config_key?: string;
  readonly is_pending?: boolean;
  readonly error?: SessionError;
}

/** How far the calling session is; the connection is not named once it has been deleted. */
export async function getSessionResult(ctx: EnvironmentContext): Promise<SessionResult> {
  return await describeResult(ctx, await getOwnSession(ctx));
}

export async function describeResult(
  ctx: EnvironmentContext,
  { state, connectionUuid, isPending, error, attemptId }: ConnectSession,
): Promise<SessionResult> {
  const attempt = attemptId === undefined ? {} : { attempt_id: attemptId };
  if (state !== "success" || connectionUuid === undefined) {
    return { state, ...attempt, ...(error === undefined ? {} : { error }) };
  }
  const made = await nameConnection(ctx, connectionUuid);
  return { state, ...attempt, ...made, ...(isPending ? { is_pending: true } : {}) };
}

async function nameConnection(ctx: EnvironmentContext, uuid: ConnectionUuid) {
  try {
    const { connectionId, integrationId } = await getConnectionByUuid(ctx, uuid);
    const { uniqueKey } = await getIntegrationById(ctx, integrationId);
    return { connection_id: connectionId, provider_config_key: uniqueKey };
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return {};
    throw error;
  }
}
