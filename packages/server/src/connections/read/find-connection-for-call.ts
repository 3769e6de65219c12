import type { ErrorCode } from "@jackfield/contract";
import type { EnvironmentContext, EnvironmentId, SystemContext } from "#foundation";
import { defineCache, type Found } from "#foundation/cache";
import { failMissingIntegration, type Integration } from "#integrations";
import type { Connection } from "../connection.ts";
import { failMissingConnection } from "./get-connection.ts";
import { findForCall } from "./store.ts";

export interface ConnectionForCall {
  readonly integration: Integration;
  readonly connection: Connection;
}

/** What of both there is. */
interface FoundForCall {
  readonly integration: Integration | undefined;
  readonly connection: Connection | undefined;
}

interface CallName {
  readonly integrationKey: string;
  readonly connectionId: string;
}

/** Codes that the caller's route has for what is missing, where they are not the usual ones. */
export interface MissingCodes {
  readonly integration?: ErrorCode;
  readonly connection?: ErrorCode;
}

/** Integration and connection by the names on the wire, in one round trip; what is missing is undefined. */
export async function findConnectionForCall(
  ctx: EnvironmentContext,
  name: CallName,
): Promise<FoundForCall> {
  return await findForCall(ctx.db, ctx.environment.id, name);
}

/** `findConnectionForCall`: the way in of every call. Throws unknown_provider_config or unknown_connection. */
export async function getConnectionForCall(
  ctx: EnvironmentContext,
  name: CallName,
  codes?: MissingCodes,
): Promise<ConnectionForCall> {
  return requireBoth(await findConnectionForCall(ctx, name), name, codes);
}

const cached = defineCache<ConnectionForCall>({ maxEntries: 20_000 });

/** `findConnectionForCall` for hot paths, undefined unless both are there. */
export async function findCachedConnectionForCall(
  ctx: EnvironmentContext,
  name: CallName,
): Promise<ConnectionForCall | undefined> {
  return await cached.find(ctx, toKey(ctx.environment.id, name), async () => {
    const { integration, connection } = await findConnectionForCall(ctx, name);
    if (integration === undefined || connection === undefined) return undefined;
    return withRows({ integration, connection });
  });
}

/** `getConnectionForCall` for hot paths: what other processes change is seen within a second. */
export async function getCachedConnectionForCall(
  ctx: EnvironmentContext,
  name: CallName,
  codes?: MissingCodes,
): Promise<ConnectionForCall> {
  const found = await findCachedConnectionForCall(ctx, name);
  return found ?? (await getConnectionForCall(ctx, name, codes));
}

/** `getCachedConnectionForCall` without the database; undefined on a cache miss. */
export function getConnectionForCallIfCached(
  ctx: SystemContext,
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

function requireBoth(
  { integration, connection }: FoundForCall,
  { integrationKey, connectionId }: CallName,
  codes: MissingCodes = {},
): ConnectionForCall {
  if (integration === undefined) return failMissingIntegration(integrationKey, codes.integration);
  if (connection === undefined) {
    return failMissingConnection(integrationKey, connectionId, codes.connection);
  }
  return { integration, connection };
}
