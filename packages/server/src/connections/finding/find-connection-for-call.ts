import type { Integration } from "#integrations";
import {
  AppError,
  type EnvironmentContext,
  type EnvironmentId,
  type InstallationContext,
} from "#platform";
import { defineCache, type Found } from "#platform/cache";
import type { Connection } from "../connection.ts";
import { findForCall } from "./store.ts";

export interface ConnectionForCall {
  readonly integration: Integration;
  readonly connection: Connection;
}

interface CallName {
  readonly integrationKey: string;
  readonly connectionId: string;
}

const cached = defineCache<ConnectionForCall>({ maxEntries: 20_000 });

/** `findConnectionForCall` for hot paths: what other processes change is seen within a second. */
export async function getCachedConnectionForCall(
  ctx: EnvironmentContext,
  name: CallName,
): Promise<ConnectionForCall> {
  const found = await cached.find(ctx, toKey(ctx.environment.id, name), async () => {
    return withRows(await findConnectionForCall(ctx, name));
  });
  // `findConnectionForCall` throws when there is none.
  return found ?? (await findConnectionForCall(ctx, name));
}

/** `getCachedConnectionForCall` without the database; undefined on a cache miss. */
export function getConnectionForCallIfCached(
  ctx: InstallationContext,
  environmentId: EnvironmentId,
  name: CallName,
): ConnectionForCall | undefined {
  return cached.getIfCached(ctx, toKey(environmentId, name));
}

// No name of an integration holds a slash.
function toKey(environmentId: EnvironmentId, { integrationKey, connectionId }: CallName): string {
  return `${environmentId}/${integrationKey}/${connectionId}`;
}

function withRows(value: ConnectionForCall): Found<ConnectionForCall> {
  const { integration, connection } = value;
  return { value, rows: [`integrations ${integration.id}`, `connections ${connection.uuid}`] };
}

/**
 * Integration and connection by the names on the wire, in one round trip: the way in of every call.
 * Throws unknown_provider_config or unknown_connection.
 */
export async function findConnectionForCall(
  ctx: EnvironmentContext,
  { integrationKey, connectionId }: CallName,
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
