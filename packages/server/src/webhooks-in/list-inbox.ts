import { listIntegrationIds } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import { type ListPosition, listBounded } from "#platform/db";
import type { InboxState } from "./inbox.ts";
import { findInboxBound, type ListedWebhook, listWebhookRows } from "./listing/store.ts";

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

/** Webhooks that came in, newest first; throws invalid_cursor. */
export async function listInbox(ctx: EnvironmentContext, query: InboxQuery): Promise<InboxList> {
  const { cursor, limit, integrationKey, ...filter } = query;
  const after = cursor === undefined ? undefined : readCursor(cursor);
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
  const nextCursor =
    next === undefined ? null : writeCursor({ receivedAt: next.createdAt, id: next.id });
  return { webhooks: rows, nextCursor };
}

function positionOf({ receivedAt, id }: Position): ListPosition {
  return { createdAt: receivedAt, id };
}

type Position = Pick<ListedWebhook, "receivedAt" | "id">;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Opaque to callers. Whose inbox is read is said by the key alone, so that nothing here needs to be secret. */
function writeCursor({ receivedAt, id }: Position): string {
  return Buffer.from(`${receivedAt.getTime().toString(36)}.${id}`).toString("base64url");
}

function readCursor(cursor: string): Position {
  const [time = "", id = ""] = Buffer.from(cursor, "base64url").toString("utf8").split(".");
  const receivedAt = new Date(Number.parseInt(time, 36));
  const isWhole = UUID.test(id) && !Number.isNaN(receivedAt.getTime());
  if (isWhole && writeCursor({ receivedAt, id }) === cursor) return { receivedAt, id };
  throw new AppError("invalid_cursor", "The cursor was altered; start without one.");
}
