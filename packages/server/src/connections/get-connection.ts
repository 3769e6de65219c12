import type { Integration } from "#integrations";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#platform";
import type { Connection } from "./connection.ts";
import { findConnection, findConnectionByUuid } from "./store.ts";

/** The connection of that id; throws unknown_connection. */
export async function getConnection(
  ctx: EnvironmentContext,
  {
    integration,
    connectionId,
  }: { integration: Pick<Integration, "id" | "uniqueKey">; connectionId: string },
): Promise<Connection> {
  const name = { integrationId: integration.id, connectionId };
  const connection = await findConnection(ctx.db, ctx.environment.id, name);
  if (connection !== undefined) return connection;
  throw new AppError(
    "unknown_connection",
    `Integration ${integration.uniqueKey} has no connection ${connectionId}.`,
  );
}

/** The connection by its internal id; throws unknown_connection. */
export async function getConnectionByUuid(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
): Promise<Connection> {
  const connection = await findConnectionByUuid(ctx.db, ctx.environment.id, uuid);
  if (connection !== undefined) return connection;
  throw new AppError("unknown_connection", "The connection was deleted.");
}
