import { listConnectionNames } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { readReplica } from "#foundation/db";
import { listPassedOn } from "../connections/store.ts";

const MOST_CONNECTIONS = 5;

/** By webhook: ids of up to 5 connections for which it was passed on, without those that were deleted. */
export async function listConnectionsOf(
  ctx: EnvironmentContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const passed = await readReplica(
    ctx,
    async (db) => await listPassedOn(db, ctx.environment.id, { ids, most: MOST_CONNECTIONS }),
  );
  const uuids = [...new Set(passed.map(({ connectionUuid }) => connectionUuid))];
  const names = new Map(
    (await listConnectionNames(ctx, uuids)).map(({ uuid, connectionId }) => [uuid, connectionId]),
  );
  const named = passed.flatMap(({ webhookId, connectionUuid }) => {
    const connectionId = names.get(connectionUuid);
    return connectionId === undefined ? [] : [{ webhookId, connectionId }];
  });
  const groups = Map.groupBy(named, ({ webhookId }) => webhookId);
  return new Map(
    [...groups].map(([id, own]) => [id, own.map(({ connectionId }) => connectionId).toSorted()]),
  );
}
