import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { connectionDeletingWatched } from "../hooks.ts";
import { listNewestRows } from "../read/store.ts";
import { deleteIfThere } from "./delete-connection.ts";

// Each may run a function that calls the provider; the environment's share of processes bounds them further.
const AT_ONCE = 4;

export interface LeavingIntegration {
  readonly integration: Integration;
  /** Begins no further deletion after so many milliseconds; undefined: until all are gone. */
  readonly withinMs: number | undefined;
}

/**
 * Deletes the connections of an integration one by one where something runs before a deletion, so that it runs for each
 * while integration and credentials are still there. Resolves to false when time was up before the last.
 */
export async function deleteWatchedConnections(
  ctx: EnvironmentContext,
  { integration, withinMs }: LeavingIntegration,
): Promise<boolean> {
  if (!(await ctx.hooks.ask(connectionDeletingWatched, ctx, { integration }))) return true;
  const until = withinMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + withinMs;
  const next = { integrationId: integration.id, limit: AT_ONCE };
  while (performance.now() < until) {
    const connections = await listNewestRows(ctx.db, ctx.environment.id, next);
    if (connections.length === 0) return true;
    ctx.signal.throwIfAborted();
    await Promise.all(
      connections.map(
        async ({ connectionId }) => await deleteIfThere(ctx, { integration, connectionId }),
      ),
    );
  }
  return false;
}
