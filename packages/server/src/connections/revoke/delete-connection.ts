import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { recordChange } from "#logs";
import { hashEndUser } from "../erasure/hash-end-user.ts";
import {
  type ConnectionsOf,
  connectionDeleting,
  connectionsDeleted,
  frozenCredentialsLeaving,
} from "../hooks.ts";
import { failMissingConnection, findConnection } from "../read/get-connection.ts";
import { lockConnection } from "../save/store.ts";
import { subjectOf } from "../subject-of.ts";
import { revokeLater, sealForRevocation } from "./plan-revocation.ts";
import { type Deletion, deleteRows, lockSomeOf } from "./store.ts";

/** Connections that are read into memory and deleted together. */
export const AT_ONCE = 200;

/**
 * Deletes a connection and forgets its credentials; throws unknown_connection. Where the entry says how,
 * the provider is notified soon after, and the credentials are kept sealed until then.
 */
export async function deleteConnection(
  ctx: EnvironmentContext,
  { integration, connectionId }: { integration: Integration; connectionId: string },
): Promise<void> {
  if (await deleteIfThere(ctx, { integration, connectionId })) return;
  failMissingConnection(integration.uniqueKey, connectionId);
}

/** `deleteConnection`; false when the connection was not there, or somebody else was faster. */
export async function deleteIfThere(
  ctx: EnvironmentContext,
  name: { integration: Integration; connectionId: string },
): Promise<boolean> {
  const { integration, connectionId } = name;
  const leaving = await findConnection(ctx, name);
  if (leaving === undefined) return false;
  await ctx.hooks.tell(connectionDeleting, ctx, { connection: leaving, integration });
  const deleted = await withTransaction(ctx, async (ctx) => {
    // Locked: the withdrawn credentials have to be those that a refresh stored last.
    const row = { integrationId: integration.id, connectionId };
    const connection = await lockConnection(ctx.db, ctx.environment.id, row);
    const connections = connection === undefined ? [] : [connection];
    await deleteLocked(ctx, { integration, connections });
    return connection;
  });
  if (deleted === undefined) return false;
  const subject = subjectOf(integration, deleted);
  recordChange(ctx, { message: `Delete the connection ${connectionId}`, subject });
  return true;
}

/** Deletes all connections of an integration, in the caller's transaction. */
export async function deleteConnectionsOf(
  ctx: EnvironmentContext,
  integration: Integration,
): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const page = { integrationId: integration.id, limit: AT_ONCE };
    for (;;) {
      const connections = await lockSomeOf(ctx.db, ctx.environment.id, page);
      if (connections.length === 0) return;
      await deleteLocked(ctx, { integration, connections });
    }
  });
}

/** Deletes connections whose rows the transaction has locked; the number of statements does not grow with theirs. */
export async function deleteLocked(
  ctx: EnvironmentContext,
  { integration, connections }: ConnectionsOf,
): Promise<void> {
  if (connections.length === 0) return;
  const { id: environmentId } = ctx.environment;
  const deletions: Deletion[] = [];
  for (const connection of connections) {
    const endUserId = connection.tags["end_user_id"];
    deletions.push({
      uuid: connection.uuid,
      kept: await sealForRevocation(ctx, integration, connection),
      endUserHash: endUserId === undefined ? undefined : await hashEndUser(ctx, endUserId),
    });
  }
  const frozen = connections.filter((connection) => connection.frozen !== undefined);
  if (frozen.length > 0) {
    await ctx.hooks.tell(frozenCredentialsLeaving, ctx, { connections: frozen, integration });
  }
  await deleteRows(ctx.db, environmentId, { deletions, now: ctx.clock.now() });
  const withdrawn = deletions.filter(({ kept }) => kept !== undefined).map(({ uuid }) => uuid);
  await revokeLater(ctx, withdrawn);
  await ctx.hooks.tell(connectionsDeleted, ctx, { connections, integration });
}
