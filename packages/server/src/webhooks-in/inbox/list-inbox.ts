import { listIntegrationIds } from "#integrations";
import { type EnvironmentContext, keysetCursor } from "#platform";
import { type ListPosition, listBounded } from "#platform/db";
import { findInboxBound, type ListedWebhook, listWebhookRows } from "../listing/store.ts";
import type { InboxState } from "./inbox.ts";

export interface InboxQuery {
  readonly integrationKey: string | undefined;
  readonly state: InboxState | undefined;
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

/** Webhooks that came in, newest first; throws invalid_cursor. */
export async function listInbox(ctx: EnvironmentContext, query: InboxQuery): Promise<InboxList> {
  const { cursor, limit, integrationKey, ...filter } = query;
  const position = cursor === undefined ? undefined : cursors.read(cursor);
  const after = position && { receivedAt: position.createdAt, id: position.id };
  const { id } = ctx.environment;
  const keys = integrationKey === undefined ? [] : [integrationKey];
  const [integrationId] = keys.length === 0 ? [] : await listIntegrationIds(ctx, keys);
  if (keys.length > 0 && integrationId === undefined) return { webhooks: [], nextCursor: null };
  const page = { ...filter, integrationId, after, limit };
  const isFiltered = integrationId !== undefined || filter.state !== undefined;
  const { rows, next } = await listBounded({
    limit,
    positionOf,
    ranges: [
      {
        list: async (limit) => await listWebhookRows(ctx.db, id, { ...page, limit }),
        findBound: async () => {
          const bound = isFiltered ? await findInboxBound(ctx.db, id, page) : undefined;
          return bound === undefined ? undefined : positionOf(bound);
        },
      },
    ],
  });
  const nextCursor = next === undefined ? null : cursors.write(next);
  return { webhooks: rows, nextCursor };
}

function positionOf({ receivedAt, id }: Position): ListPosition {
  return { createdAt: receivedAt, id };
}

type Position = Pick<ListedWebhook, "receivedAt" | "id">;
