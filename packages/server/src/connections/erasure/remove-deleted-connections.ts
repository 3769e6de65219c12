import { removeDeleted } from "#environments";
import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { connectionsRemoved } from "../hooks.ts";
import { removeDeletedRows } from "./store.ts";

/** Removes connections that were deleted long ago, once their schedules and records are gone; runs daily. */
export async function removeDeletedConnections(ctx: SystemContext): Promise<void> {
  await removeDeleted(ctx, async (ctx, rows) => {
    return await withTransaction(ctx, async (ctx) => {
      const connections = await removeDeletedRows(ctx.db, ctx.environment.id, rows);
      if (connections.length > 0) await ctx.hooks.tell(connectionsRemoved, ctx, { connections });
      return connections.length;
    });
  });
}
