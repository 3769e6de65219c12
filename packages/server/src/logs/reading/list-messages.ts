import { AppError, type EnvironmentContext, type OperationId } from "#platform";
import { flushOwnLogs } from "../flush-logs.ts";
import { operationTime } from "../operation-time.ts";
import { logCursor } from "./cursor.ts";
import type { LoggedMessage, LoggedOperation } from "./logged.ts";
import { findOperationRow, listMessageRows, toPhrase } from "./store.ts";

export interface MessageQuery {
  readonly operationId: OperationId;
  readonly levels: readonly string[] | undefined;
  readonly search: string | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface MessageList {
  readonly messages: readonly LoggedMessage[];
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
}

/** One operation; throws not_found. */
export async function getOperation(
  ctx: EnvironmentContext,
  id: OperationId,
): Promise<LoggedOperation> {
  await flushOwnLogs(ctx);
  const place = { id, createdAt: operationTime(id) };
  const operation = await findOperationRow(ctx.db, ctx.environment.id, place);
  if (operation !== undefined) return operation;
  throw new AppError("not_found", "No such operation; operations are stored for a limited time.");
}

/** Messages of an operation in their order or from the last; throws not_found and invalid_cursor. */
export async function listMessages(
  ctx: EnvironmentContext,
  query: MessageQuery,
): Promise<MessageList> {
  const after = query.cursor === undefined ? undefined : logCursor.read(query.cursor);
  const { id, createdAt } = await getOperation(ctx, query.operationId);
  const phrase = query.search === undefined ? undefined : await toPhrase(ctx.db, query.search);
  const nothing = { messages: [], nextCursor: null, previousCursor: null };
  if (query.search !== undefined && phrase === undefined) return nothing;
  const rows = await listMessageRows(ctx.db, ctx.environment.id, {
    ...query,
    operationId: id,
    from: createdAt,
    phrase,
    after,
    limit: query.limit + 1,
  });
  const messages = rows.slice(0, query.limit);
  const [first] = messages;
  const last = messages.at(-1);
  return {
    messages,
    nextCursor: rows.length > messages.length && last !== undefined ? logCursor.write(last) : null,
    previousCursor: after === undefined || first === undefined ? null : logCursor.write(first),
  };
}
