import type { ErrorCode } from "@jackfield/contract";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import type { Connection } from "../connection.ts";
import { findConnection as findRow, findConnectionByUuid as findRowByUuid } from "../store.ts";

interface ConnectionName {
  readonly integration: Pick<Integration, "id" | "uniqueKey">;
  readonly connectionId: string;
}

/** The connection of that id. */
export async function findConnection(
  ctx: EnvironmentContext,
  { integration, connectionId }: ConnectionName,
): Promise<Connection | undefined> {
  const name = { integrationId: integration.id, connectionId };
  return await findRow(ctx.db, ctx.environment.id, name);
}

/** The connection of that id; throws unknown_connection, or the code that the caller's route has for it. */
export async function getConnection(
  ctx: EnvironmentContext,
  name: ConnectionName,
  code?: ErrorCode,
): Promise<Connection> {
  const { integration, connectionId } = name;
  const connection = await findConnection(ctx, name);
  return connection ?? failMissingConnection(integration.uniqueKey, connectionId, code);
}

/** The connection by its internal id; undefined when it was deleted. */
export async function findConnectionByUuid(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
): Promise<Connection | undefined> {
  return await findRowByUuid(ctx.db, ctx.environment.id, uuid);
}

/** The connection by its internal id; throws unknown_connection. */
export async function getConnectionByUuid(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
): Promise<Connection> {
  const connection = await findConnectionByUuid(ctx, uuid);
  if (connection !== undefined) return connection;
  throw new AppError("unknown_connection", "The connection was deleted.");
}

/** Throws the error of a name that no connection has, wherever it was found out. */
export function failMissingConnection(
  integrationKey: string,
  connectionId: string,
  code: ErrorCode = "unknown_connection",
): never {
  throw new AppError(code, `Integration ${integrationKey} has no connection ${connectionId}.`);
}
