import { addMs, DAY, type EnvironmentContext } from "#platform";
import { type ListRange, listBounded, MOST_SCANNED } from "#platform/db";
import { flushOwnLogs } from "../flush-logs.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { LoggedOperation, OperationFilter } from "./logged.ts";
import {
  findListBound,
  findOldestTime,
  listOperationRows,
  type OperationPage,
  searchOperationRows,
  toPhrase,
} from "./store.ts";

export interface OperationQuery {
  readonly filter: OperationFilter;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly search: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface OperationList {
  readonly operations: readonly LoggedOperation[];
  readonly nextCursor: string | null;
}

/** Days that one call searches at most; the cursor goes on from there. */
const DAYS_PER_SEARCH = 31;
/** The longest run; a message of an operation is not written later. */
const LONGEST_OPERATION_MS = 2 * DAY;

/** Operations, newest first, over the whole time for which they are kept; throws invalid_cursor. */
export async function listOperations(
  ctx: EnvironmentContext,
  query: OperationQuery,
): Promise<OperationList> {
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  await flushOwnLogs(ctx);
  const from = query.from ?? new Date(0);
  // A little ahead, since the clocks of several processes differ.
  const to = query.to ?? addMs(ctx.clock.now(), DAY);
  const page = { filter: query.filter, from, to, after, limit: query.limit + 1 };
  if (query.search !== undefined) {
    const phrase = await toPhrase(ctx.db, query.search);
    if (phrase === undefined) return { operations: [], nextCursor: null };
    return await searchByDay(ctx, { ...page, phrase }, query.limit);
  }
  const { rows, next } = await listBounded({
    limit: query.limit,
    positionOf: (row: LoggedOperation) => row,
    ranges: toRanges(ctx, page),
  });
  return { operations: rows, nextCursor: next === undefined ? null : writeCursor(next) };
}

/** One for each connection. */
function toRanges(ctx: EnvironmentContext, page: OperationPage): ListRange<LoggedOperation>[] {
  const { connections, ...filter } = page.filter;
  const isFiltered = Object.values(filter).some((part) => part !== undefined);
  const wanted = connections === undefined ? [undefined] : [...new Set(connections)];
  const mostScanned = Math.ceil(MOST_SCANNED / Math.max(1, wanted.length));
  return wanted.map((connection) => {
    const range = { ...page, filter, connection, mostScanned };
    const { id } = ctx.environment;
    return {
      list: async (limit) => await listOperationRows(ctx.db, id, { ...range, limit }),
      findBound: isFiltered ? async () => await findListBound(ctx.db, id, range) : undefined,
    };
  });
}

type SearchPage = OperationPage & { readonly phrase: string };

/**
 * Day by day from the newest on, until a page is full: a frequent word costs the days that are shown, a rare one
 * finds its days in the index. What was not searched yet is behind the cursor.
 */
async function searchByDay(
  ctx: EnvironmentContext,
  page: SearchPage,
  limit: number,
): Promise<OperationList> {
  const environmentId = ctx.environment.id;
  const oldest = await findOldestTime(ctx.db, environmentId);
  if (oldest === undefined) return { operations: [], nextCursor: null };
  const from = later(oldest, page.from);
  const found: LoggedOperation[] = [];
  let to = page.after === undefined ? page.to : earlier(page.to, addMs(page.after.createdAt, 1));
  for (let days = 0; days < DAYS_PER_SEARCH && to > from; days += 1) {
    const start = startOfDayBefore(to);
    const day = { ...page, from: later(start, from), to, limit: limit + 1 - found.length };
    const messagesTo = addMs(to, LONGEST_OPERATION_MS);
    found.push(...(await searchOperationRows(ctx.db, environmentId, { ...day, messagesTo })));
    if (found.length > limit) return toList(found, limit);
    to = day.from;
  }
  const isDone = to <= from;
  const nothing = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  return {
    operations: found,
    nextCursor: isDone ? null : writeCursor({ createdAt: addMs(to, -1), id: nothing }),
  };
}

/** The last midnight (UTC) before a time. */
function startOfDayBefore(time: Date): Date {
  return new Date(Math.floor((time.getTime() - 1) / DAY) * DAY);
}

function earlier(a: Date, b: Date): Date {
  return new Date(Math.min(a.getTime(), b.getTime()));
}

function later(a: Date, b: Date): Date {
  return new Date(Math.max(a.getTime(), b.getTime()));
}

function toList(rows: readonly LoggedOperation[], limit: number): OperationList {
  const operations = rows.slice(0, limit);
  const last = operations.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { operations, nextCursor: isMore ? writeCursor(last) : null };
}
