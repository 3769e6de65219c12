import { AppError, type EnvironmentContext } from "#platform";
import type { InboxState } from "./inbox.ts";
import { type ListedWebhook, listWebhookRows } from "./store.ts";

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
  const { cursor, limit, ...filter } = query;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const page = { ...filter, after, limit: limit + 1 };
  const rows = await listWebhookRows(ctx.db, ctx.environment.id, page);
  const webhooks = rows.slice(0, limit);
  const last = webhooks.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? writeCursor(last) : null;
  return { webhooks, nextCursor };
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
