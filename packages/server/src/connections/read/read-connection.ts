import { AppError, type EnvironmentContext, MINUTE } from "#foundation";
import type { Integration } from "#integrations";
import type { Connection } from "../connection.ts";
import { getHealth } from "../health/connection-health.ts";
import { getFreshCredentials } from "../refresh/get-fresh-credentials.ts";
import { markFetched } from "../store.ts";
import { countRead } from "../uses/count-uses.ts";
import {
  type ConnectionBody,
  mayReadCredentials,
  presentConnection,
} from "./present-connection.ts";

export interface ConnectionReading {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly forceRefresh: boolean;
  readonly withRefreshToken: boolean;
  readonly withErrorDetails?: boolean | undefined;
  readonly withHealth?: boolean | undefined;
}

// Spares a write for each read; nothing needs it more exactly.
const FETCH_MARK_EVERY_MS = MINUTE;

/** The connection as callers see it: with fresh credentials for those who may read them. */
export async function readConnection(
  ctx: EnvironmentContext,
  {
    integration,
    connection: found,
    forceRefresh,
    withRefreshToken,
    withErrorDetails,
    withHealth = false,
  }: ConnectionReading,
): Promise<ConnectionBody> {
  if (!mayReadCredentials(ctx.actor)) {
    if (forceRefresh || withRefreshToken) {
      throw new AppError(
        "forbidden",
        "force_refresh and refresh_token need the scope environment:connections:read_credentials.",
      );
    }
    const health = withHealth ? await getHealth(ctx, found) : undefined;
    return presentConnection({ connection: found, integration, health, withErrorDetails });
  }
  const wanted = { connection: found, integration, force: forceRefresh };
  const { connection, credentials } = await getFreshCredentials(ctx, wanted);
  countRead(ctx, connection.uuid);
  const lastFetchedAt = await markRead(ctx, found, connection);
  return presentConnection({
    connection: { ...connection, lastFetchedAt },
    integration,
    credentials,
    health: withHealth ? await getHealth(ctx, connection) : undefined,
    withRefreshToken,
    withErrorDetails,
  });
}

/** Marks of connections that are remembered: a mark is no change that would make them be read again. */
// Kept with its key: a connection in the cache of one server.
const marks = new WeakMap<Connection, Date>();

async function markRead(
  ctx: EnvironmentContext,
  found: Connection,
  { uuid, lastFetchedAt }: Connection,
): Promise<Date> {
  const now = ctx.clock.now();
  const last = marks.get(found) ?? lastFetchedAt;
  if (last !== undefined && now.getTime() - last.getTime() < FETCH_MARK_EVERY_MS) return last;
  marks.set(found, now);
  await markFetched(ctx.db, ctx.environment.id, uuid, now);
  return now;
}
