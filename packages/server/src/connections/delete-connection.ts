import type { Integration } from "#integrations";
import { recordChange } from "#logs";
import { AppError, type EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import type { Connection } from "./connection.ts";
import { getConnection } from "./get-connection.ts";
import { connectionDeleted } from "./hooks.ts";
import { deleteConnectionRow, listConnectionsOf } from "./store.ts";
import { subjectOf } from "./subject-of.ts";

/** Deletes a connection and forgets its credentials; throws unknown_connection. */
export async function deleteConnection(
  ctx: EnvironmentContext,
  { integration, connectionId }: { integration: Integration; connectionId: string },
): Promise<void> {
  const deleted = await withTransaction(ctx, async (ctx) => {
    const connection = await getConnection(ctx, { integration, connectionId });
    if (await deleteOne(ctx, integration, connection)) return connection;
    throw new AppError("unknown_connection");
  });
  const subject = subjectOf(integration, deleted);
  recordChange(ctx, { message: `Delete the connection ${connectionId}`, subject });
}

/** Deletes all connections of an integration, in the caller's transaction. */
export async function deleteConnectionsOf(
  ctx: EnvironmentContext,
  integration: Integration,
): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    const connections = await listConnectionsOf(ctx.db, ctx.environment.id, integration.id);
    for (const connection of connections) await deleteOne(ctx, integration, connection);
  });
}

async function deleteOne(
  ctx: EnvironmentContext,
  integration: Integration,
  { uuid }: Connection,
): Promise<boolean> {
  const now = ctx.clock.now();
  const connection = await deleteConnectionRow(ctx.db, ctx.environment.id, uuid, now);
  if (connection === undefined) return false;
  await ctx.hooks.tell(connectionDeleted, ctx, { connection, integration });
  return true;
}
