import type { Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import type { Connection } from "../connection.ts";
import { findForCall } from "./store.ts";

export interface ConnectionForCall {
  readonly integration: Integration;
  readonly connection: Connection;
}

/**
 * Integration and connection by the names on the wire, in one round trip: the way in of every call.
 * Throws unknown_provider_config or unknown_connection.
 */
export async function findConnectionForCall(
  ctx: EnvironmentContext,
  { integrationKey, connectionId }: { integrationKey: string; connectionId: string },
): Promise<ConnectionForCall> {
  const name = { integrationKey, connectionId };
  const { integration, connection } = await findForCall(ctx.db, ctx.environment.id, name);
  if (integration === undefined) {
    throw new AppError(
      "unknown_provider_config",
      `This environment has no integration "${integrationKey}"; list them with GET /integrations.`,
    );
  }
  if (connection === undefined) {
    throw new AppError(
      "unknown_connection",
      `Integration ${integrationKey} has no connection ${connectionId}.`,
    );
  }
  return { integration, connection };
}
