import { type EnvironmentContext, SECOND } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { connectionDeletingWatched } from "../hooks.ts";
import { listNewestRows } from "../read/store.ts";
import { deleteIfThere, deleteSomeOf } from "./delete-connection.ts";

// Each may run a function that calls the provider; the environment's share of processes bounds them further.
const WATCHED_AT_ONCE = 4;
/** In one transaction: it holds their rows for some tenths of a second. */
const AT_ONCE = 100;
/** Part of what a request waits for the database; what is left begins the work in the background. */
const REQUEST_MS = 5 * SECOND;

export interface LeavingIntegration {
  readonly integration: Integration;
  /** Begins no further deletion after so many milliseconds; undefined: until all are gone. */
  readonly withinMs: number | undefined;
}

/**
 * Deletes the connections of an integration before it goes: one by one where something runs before a deletion, so that
 * it runs for each while integration and credentials are still there, and page by page where there are more than one
 * transaction should delete. Resolves to false when time was up before the last.
 */
export async function deleteConnectionsFirst(
  ctx: EnvironmentContext,
  { integration, withinMs = Number.POSITIVE_INFINITY }: LeavingIntegration,
): Promise<boolean> {
  const isWatched = await ctx.hooks.ask(connectionDeletingWatched, ctx, { integration });
  const deleteNext = isWatched ? deleteWatched : deletePage;
  const begun = performance.now();
  const mostMs =
    isWatched || withinMs === Number.POSITIVE_INFINITY ? withinMs : Math.min(withinMs, REQUEST_MS);
  do {
    ctx.signal.throwIfAborted();
    if (await deleteNext(ctx, integration)) return true;
  } while (performance.now() - begun < mostMs);
  return false;
}

/** Whether none was left. */
async function deleteWatched(ctx: EnvironmentContext, integration: Integration): Promise<boolean> {
  const connections = await listNewest(ctx, integration, WATCHED_AT_ONCE);
  await Promise.all(
    connections.map(
      async ({ connectionId }) => await deleteIfThere(ctx, { integration, connectionId }),
    ),
  );
  return connections.length === 0;
}

/** Whether so few are left that they go with the integration. */
async function deletePage(ctx: EnvironmentContext, integration: Integration): Promise<boolean> {
  const connections = await listNewest(ctx, integration, AT_ONCE + 1);
  if (connections.length <= AT_ONCE) return true;
  await withTransaction(ctx, async (ctx) => await deleteSomeOf(ctx, integration, AT_ONCE));
  return false;
}

async function listNewest(ctx: EnvironmentContext, { id }: Integration, limit: number) {
  return await listNewestRows(ctx.db, ctx.environment.id, { integrationId: id, limit });
}
