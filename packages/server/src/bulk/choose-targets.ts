import type { bulkRoutes, RouteInput } from "@jackfield/contract";
import { getConnection, listConnectionPage, listingOfFilter } from "#connections";
import { type EnvironmentContext, invalidFields } from "#foundation";
import { getIntegration } from "#integrations";
import { listSyncIds, requireSync } from "#syncs";
import { isOverSyncs, MOST_TARGETS } from "./job.ts";

export type BulkBody = RouteInput<typeof bulkRoutes.startBulkJob>["body"];
type Filter = NonNullable<BulkBody["filter"]>;

const PAGE = 1000;

/** What is meant, as UUIDs; throws invalid_body, and for a named one what its single call would. */
export async function chooseTargets(ctx: EnvironmentContext, body: BulkBody): Promise<string[]> {
  const overSyncs = isOverSyncs(body.action);
  requireOneChoice(body, overSyncs);
  if (body.syncs !== undefined) {
    for (const id of body.syncs) await requireSync(ctx, id);
    return [...new Set(body.syncs.map((id) => id.toLowerCase()))];
  }
  if (body.connections !== undefined) return await nameConnections(ctx, body.connections);
  const filter = body.filter ?? {};
  return overSyncs ? await findSyncs(ctx, filter) : await findConnections(ctx, filter);
}

function requireOneChoice(body: BulkBody, overSyncs: boolean): void {
  const { action, filter, connections, syncs, tags } = body;
  const given = [filter, connections, syncs].filter((choice) => choice !== undefined);
  if (given.length !== 1) {
    throw fault("filter", "must be sent, or `connections` or `syncs` in its place: one of them");
  }
  if (overSyncs && connections !== undefined) throw fault("connections", `is not for ${action}`);
  if (!overSyncs && syncs !== undefined) throw fault("syncs", `is not for ${action}`);
  if ((action === "connections:tag") !== (tags !== undefined)) {
    throw fault("tags", action === "connections:tag" ? "is missing" : `is not for ${action}`);
  }
  const foreign = overSyncs
    ? (["tags", "search", "expires_before", "unused_since", "reauthorize_before"] as const)
    : (["sync"] as const);
  const wrong = foreign.find((name) => filter?.[name] !== undefined);
  if (wrong !== undefined) throw fault(`filter.${wrong}`, `is not for ${action}`);
}

function fault(path: string, message: string) {
  return invalidFields("invalid_body", [{ path: path.split("."), message }]);
}

async function nameConnections(
  ctx: EnvironmentContext,
  named: NonNullable<BulkBody["connections"]>,
): Promise<string[]> {
  const uuids = new Set<string>();
  for (const { provider_config_key: key, connection_id: connectionId } of named) {
    const integration = await getIntegration(ctx, key);
    uuids.add((await getConnection(ctx, { integration, connectionId })).uuid);
  }
  return [...uuids];
}

const connectionStates = [
  "ok",
  "refreshing",
  "backoff",
  "needs_reauthorization",
  "pending",
] as const;

async function findConnections(ctx: EnvironmentContext, filter: Filter): Promise<string[]> {
  const state = connectionStates.find((each) => each === filter.state);
  if (filter.state !== undefined && state === undefined) {
    throw fault("filter.state", "is a state of syncs, not of connections");
  }
  const listing = { ...listingOfFilter(filter), state, limit: PAGE };
  return await collect(async (cursor) => {
    const { listed, nextCursor } = await listConnectionPage(ctx, { ...listing, cursor });
    return { ids: listed.map(({ connection }) => connection.uuid), nextCursor };
  });
}

async function findSyncs(ctx: EnvironmentContext, filter: Filter): Promise<string[]> {
  return await collect(async (cursor) => await listSyncIds(ctx, filter, { limit: PAGE, cursor }));
}

async function collect(
  read: (
    cursor: string | undefined,
  ) => Promise<{ ids: readonly string[]; nextCursor: string | null }>,
): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const { ids, nextCursor } = await read(cursor);
    found.push(...ids);
    cursor = nextCursor ?? undefined;
    if (found.length > MOST_TARGETS) {
      throw fault("filter", `fits more than ${MOST_TARGETS}; narrow it`);
    }
  } while (cursor !== undefined);
  return found;
}
