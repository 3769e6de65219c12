import type { Integration } from "#integrations";
import { AppError, type EnvironmentContext, MINUTE } from "#platform";
import type { Connection } from "./connection.ts";
import {
  type ConnectionBody,
  mayReadCredentials,
  presentConnection,
} from "./present-connection.ts";
import { getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { markFetched } from "./store.ts";

export interface ConnectionReading {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly forceRefresh: boolean;
  readonly withRefreshToken: boolean;
}

// Spares a write for each read; nothing needs it more exactly.
const FETCH_MARK_EVERY_MS = MINUTE;

/** The connection as callers see it: with fresh credentials for those who may read them. */
export async function readConnection(
  ctx: EnvironmentContext,
  { integration, connection: found, forceRefresh, withRefreshToken }: ConnectionReading,
): Promise<ConnectionBody> {
  if (!mayReadCredentials(ctx.actor)) {
    if (forceRefresh || withRefreshToken) {
      throw new AppError(
        "forbidden",
        "force_refresh and refresh_token need the scope environment:connections:read_credentials.",
      );
    }
    return presentConnection({ connection: found, integration });
  }
  const wanted = { connection: found, integration, force: forceRefresh };
  const { connection, credentials } = await getFreshCredentials(ctx, wanted);
  const now = ctx.clock.now();
  const markedMs = connection.lastFetchedAt?.getTime() ?? 0;
  const isMarkOld = now.getTime() - markedMs >= FETCH_MARK_EVERY_MS;
  if (isMarkOld) await markFetched(ctx.db, ctx.environment.id, connection.uuid, now);
  return presentConnection({
    connection: isMarkOld ? { ...connection, lastFetchedAt: now } : connection,
    integration,
    credentials,
    withRefreshToken,
  });
}
