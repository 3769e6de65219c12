import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { type ListRange, listBounded, MOST_SCANNED } from "#foundation/db";
import { flushOwnLogs } from "../flush-logs.ts";
import { readLogs } from "../log-server.ts";
import { logCursor } from "./cursor.ts";
import type { LoggedOperation, OperationFilter } from "./logged.ts";
import { type OperationRange, toRanges } from "./ranges.ts";
import { type OperationList, searchOperations } from "./search-operations.ts";
import { findListBound, listOperationRows, type OperationPage, toPhrase } from "./store.ts";

export interface OperationQuery {
  readonly filter: OperationFilter;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly search: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Operations, newest first, over the whole time for which they are kept; throws invalid_cursor. */
export async function listOperations(
  ctx: EnvironmentContext,
  query: OperationQuery,
): Promise<OperationList> {
  const after = query.cursor === undefined ? undefined : logCursor.read(query.cursor);
  await flushOwnLogs(ctx);
  const from = query.from ?? new Date(0);
  // A little ahead, since the clocks of several processes differ.
  const to = query.to ?? addMs(ctx.clock.now(), DAY);
  const page = { filter: query.filter, from, to, after, limit: query.limit + 1 };
  if (query.search !== undefined) {
    const { search } = query;
    const phrase = await readLogs(ctx, async (db) => await toPhrase(db, search));
    if (phrase === undefined) return { operations: [], nextCursor: null, searched: null };
    return await searchOperations(ctx, { ...page, phrase }, query.limit);
  }
  const { rows, next } = await listBounded({
    limit: query.limit,
    positionOf: (row: LoggedOperation) => row,
    ranges: toListRanges(ctx, page),
  });
  const nextCursor = next === undefined ? null : logCursor.write(next);
  return { operations: rows, nextCursor, searched: null };
}

function toListRanges(ctx: EnvironmentContext, page: OperationPage): ListRange<LoggedOperation>[] {
  const ranges = toRanges(page.filter);
  const passesOver = ({ filter }: OperationRange) =>
    Object.values(filter).some((part) => part !== undefined);
  const mostScanned = Math.ceil(MOST_SCANNED / Math.max(1, ranges.filter(passesOver).length));
  return ranges.map((range) => {
    const wanted = { ...page, ...range, mostScanned };
    const { id } = ctx.environment;
    return {
      list: async (limit) =>
        await readLogs(ctx, async (db) => await listOperationRows(db, id, { ...wanted, limit })),
      findBound: passesOver(range)
        ? async () => await readLogs(ctx, async (db) => await findListBound(db, id, wanted))
        : undefined,
    };
  });
}
