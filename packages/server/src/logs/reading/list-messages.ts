import { AppError, type EnvironmentContext, type OperationId, timeOfId } from "#foundation";
import { flushOwnLogs } from "../flush-logs.ts";
import { readLogs } from "../log-server.ts";
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
  const place = { id, createdAt: timeOfId(id) };
  const operation = await readLogs(
    ctx,
    async (db) => await findOperationRow(db, ctx.environment.id, place),
  );
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
  const { search } = query;
  const phrase =
    search === undefined
      ? undefined
      : await readLogs(ctx, async (db) => await toPhrase(db, search));
  const nothing = { messages: [], nextCursor: null, previousCursor: null };
  if (query.search !== undefined && phrase === undefined) return nothing;
  const limit = query.limit + 1;
  const page = { ...query, operationId: id, from: createdAt, phrase, after, limit };
  const rows = await readLogs(
    ctx,
    async (db) => await listMessageRows(db, ctx.environment.id, page),
  );
  const messages = rows.slice(0, query.limit);
  const [first] = messages;
  const last = messages.at(-1);
  return {
    messages,
    nextCursor: rows.length > messages.length && last !== undefined ? logCursor.write(last) : null,
    previousCursor: after === undefined || first === undefined ? null : logCursor.write(first),
  };
}
