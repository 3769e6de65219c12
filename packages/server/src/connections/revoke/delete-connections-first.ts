import { setTimeout as sleep } from "node:timers/promises";
import {
  addMs,
  backoffMs,
  type ConnectionUuid,
  type EnvironmentContext,
  SECOND,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { connectionDeletingWatched, connectionsLeaving } from "../hooks.ts";
import { listNewestRows } from "../read/store.ts";
import { AT_ONCE, deleteIfThere, deleteLocked } from "./delete-connection.ts";
import { lockSomeOf } from "./store.ts";

// Each may run a function that calls the provider; the environment's share of processes bounds them further.
const WATCHED_AT_ONCE = 4;
/** So many go with their integration, in its transaction. */
const FEW = 100;
/** Part of what a request waits for the database; what is left begins the work in the background. */
const REQUEST_MS = 5 * SECOND;

/** Where all that is left is held by others. */
const PAUSES = { firstMs: 50, longestMs: SECOND };

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
  const begun = performance.now();
  if (!isWatched) {
    const isBackground = withinMs === Number.POSITIVE_INFINITY;
    const until = begun + (isBackground ? withinMs : Math.min(withinMs, REQUEST_MS));
    return await deletePages(ctx, integration, until);
  }
  do {
    ctx.signal.throwIfAborted();
    if (await deleteWatched(ctx, integration)) return true;
  } while (performance.now() - begun < withinMs);
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

/**
 * Whether none is left, or so few from the beginning that they go with the integration. A page waits for no other
 * transaction while it holds its rows, and so is part of no deadlock, such as with a deployment: what another holds is
 * passed over, and comes in the next round.
 */
async function deletePages(
  ctx: EnvironmentContext,
  integration: Integration,
  until: number,
): Promise<boolean> {
  if ((await listNewest(ctx, integration, FEW + 1)).length <= FEW) return true;
  let idleRounds = 0;
  for (;;) {
    let gone = 0;
    let before: Date | undefined;
    do {
      ctx.signal.throwIfAborted();
      const page = await deletePage(ctx, integration, before);
      gone += page.gone;
      // Of those of the same millisecond some may be left: times of Postgres are finer.
      before = page.last && addMs(page.last, 1);
      if (performance.now() >= until) return await isEmpty(ctx, integration);
    } while (before !== undefined);
    if (await isEmpty(ctx, integration)) return true;
    idleRounds = gone > 0 ? 0 : idleRounds + 1;
    if (idleRounds > 0) {
      await sleep(backoffMs(PAUSES, idleRounds), undefined, { signal: ctx.signal });
    }
  }
}

interface DeletedPage {
  readonly gone: number;
  /** When the last one was created; undefined when no other follows that could be deleted. */
  readonly last: Date | undefined;
}

async function deletePage(
  ctx: EnvironmentContext,
  integration: Integration,
  before: Date | undefined,
): Promise<DeletedPage> {
  return await withTransaction(ctx, async (ctx) => {
    const page = { integrationId: integration.id, before, limit: AT_ONCE, isFree: true };
    const locked = await lockSomeOf(ctx.db, ctx.environment.id, page);
    if (locked.length === 0) return { gone: 0, last: undefined };
    const staying = new Set<ConnectionUuid>();
    const stay = (uuids: readonly ConnectionUuid[]) => {
      for (const uuid of uuids) staying.add(uuid);
    };
    await ctx.hooks.tell(connectionsLeaving, ctx, { connections: locked, integration, stay });
    const connections = locked.filter(({ uuid }) => !staying.has(uuid));
    await deleteLocked(ctx, { integration, connections });
    const gone = connections.length;
    const last = locked.at(-1)?.createdAt;
    const isFurther = gone > 0 || before === undefined || (last && addMs(last, 1) < before);
    return { gone, last: isFurther ? last : undefined };
  });
}

async function isEmpty(ctx: EnvironmentContext, integration: Integration): Promise<boolean> {
  return (await listNewest(ctx, integration, 1)).length === 0;
}

async function listNewest(ctx: EnvironmentContext, { id }: Integration, limit: number) {
  return await listNewestRows(ctx.db, ctx.environment.id, { integrationId: id, limit });
}
