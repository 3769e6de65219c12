import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { recordChange } from "#logs";
import type { Connection } from "../connection.ts";
import { hashEndUser } from "../erasure/hash-end-user.ts";
import { connectionDeleted, connectionDeleting, frozenCredentialsLeaving } from "../hooks.ts";
import { failMissingConnection, findConnection } from "../read/get-connection.ts";
import { deleteConnectionRow, listConnectionsOf } from "../store.ts";
import { subjectOf } from "../subject-of.ts";
import { revokeLater, sealForRevocation } from "./plan-revocation.ts";
import { lockByUuid } from "./store.ts";

/** Connections that are read into memory together. */
const AT_ONCE = 100;

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
    const connection = await findConnection(ctx, name);
    const isDeleted = connection && (await deleteOne(ctx, integration, connection));
    return isDeleted === true ? connection : undefined;
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
    while ((await deleteSomeOf(ctx, integration, AT_ONCE)) === AT_ONCE);
  });
}

/** Deletes at most so many of them, in the caller's transaction; answers how many it found. */
export async function deleteSomeOf(
  ctx: EnvironmentContext,
  integration: Integration,
  limit: number,
): Promise<number> {
  const connections = await listConnectionsOf(ctx.db, ctx.environment.id, integration.id, limit);
  for (const connection of connections) await deleteOne(ctx, integration, connection);
  return connections.length;
}

async function deleteOne(
  ctx: EnvironmentContext,
  integration: Integration,
  { uuid }: Connection,
): Promise<boolean> {
  const { id: environmentId } = ctx.environment;
  // Locked: the withdrawn credentials have to be those that a refresh stored last.
  const known = await lockByUuid(ctx.db, environmentId, uuid);
  if (known === undefined) return false;
  const kept = await sealForRevocation(ctx, integration, known);
  if (known.frozen !== undefined) {
    const leaving = { connection: known, integration, isDeleted: true };
    await ctx.hooks.tell(frozenCredentialsLeaving, ctx, leaving);
  }
  const endUserId = known.tags["end_user_id"];
  const deletion = {
    kept,
    now: ctx.clock.now(),
    endUserHash: endUserId === undefined ? null : await hashEndUser(ctx, endUserId),
  };
  if (!(await deleteConnectionRow(ctx.db, environmentId, uuid, deletion))) return false;
  if (kept !== undefined) await revokeLater(ctx, known);
  await ctx.hooks.tell(connectionDeleted, ctx, { connection: known, integration });
  return true;
}
