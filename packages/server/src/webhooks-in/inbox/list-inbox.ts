import { getConnection } from "#connections";
import { type ConnectionUuid, type EnvironmentContext, keysetCursor } from "#foundation";
import { type ListPosition, listBounded, readReplica } from "#foundation/db";
import { getIntegration, listIntegrationIds } from "#integrations";
import { isInboxPrepared } from "../distributed/is-prepared.ts";
import { findInboxBound, type ListedWebhook, listWebhookRows } from "../listing/store.ts";
import type { InboxState } from "./inbox.ts";

export interface InboxQuery {
  readonly integrationKey: string | undefined;
  /** Of that integration. */
  readonly connectionId?: string | undefined;
  readonly state: InboxState | undefined;
  /** Name of an event at the provider. */
  readonly type?: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface InboxList {
  readonly webhooks: readonly ListedWebhook[];
  readonly nextCursor: string | null;
}

const cursors = keysetCursor({ radix: 36, separator: "." });

/** Webhooks that came in, newest first; throws invalid_cursor, and what the name of a connection does. */
export async function listInbox(ctx: EnvironmentContext, query: InboxQuery): Promise<InboxList> {
  const { cursor, limit, integrationKey, connectionId: _connectionId, ...filter } = query;
  const position = cursor === undefined ? undefined : cursors.read(cursor);
  const after = position && { receivedAt: position.createdAt, id: position.id };
  const { id } = ctx.environment;
  const connection = await findNamed(ctx, query);
  const keys = integrationKey === undefined ? [] : [integrationKey];
  const [integrationId] = keys.length === 0 ? [] : await listIntegrationIds(ctx, keys);
  if (keys.length > 0 && integrationId === undefined) return { webhooks: [], nextCursor: null };
  const isPrepared = await isInboxPrepared(ctx);
  const page = { ...filter, integrationId, connection, after, limit, isPrepared };
  const isFiltered = [integrationId, filter.state, filter.type].some((part) => part !== undefined);
  const { rows, next } = await listBounded({
    limit,
    positionOf,
    ranges: [
      {
        list: async (limit) =>
          await readReplica(ctx, async (db) => await listWebhookRows(db, id, { ...page, limit })),
        findBound: async () => {
          if (!isFiltered) return undefined;
          const bound = await readReplica(ctx, async (db) => await findInboxBound(db, id, page));
          return bound === undefined ? undefined : positionOf(bound);
        },
      },
    ],
  });
  const nextCursor = next === undefined ? null : cursors.write(next);
  return { webhooks: rows, nextCursor };
}

/** The connection of these names, where both are given; throws what an unknown name does. */
export async function findNamed(
  ctx: EnvironmentContext,
  { integrationKey, connectionId }: Pick<InboxQuery, "integrationKey" | "connectionId">,
): Promise<ConnectionUuid | undefined> {
  if (integrationKey === undefined || connectionId === undefined) return undefined;
  const integration = await getIntegration(ctx, integrationKey);
  return (await getConnection(ctx, { integration, connectionId })).uuid;
}

function positionOf({ receivedAt, id }: Position): ListPosition {
  return { createdAt: receivedAt, id };
}

type Position = Pick<ListedWebhook, "receivedAt" | "id">;
