import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { readLogs } from "../log-server.ts";
import { logCursor } from "./cursor.ts";
import type { LoggedOperation, Position } from "./logged.ts";
import { toRanges } from "./ranges.ts";
import {
  findOldestTime,
  listOperationsById,
  type OperationPage,
  searchOperationRows,
  type WalkedOperation,
  walkOperations,
} from "./store.ts";

export interface OperationList {
  readonly operations: readonly LoggedOperation[];
  readonly nextCursor: string | null;
  /** How far a search has come that ended before its page was full and before its time was. */
  readonly searched: Searched | null;
}

export interface Searched {
  readonly from: Date;
  readonly oldest: Date;
}

/** `limit` is one more than the page shows. */
export type SearchPage = OperationPage & { readonly phrase: string };

/** Days that one call searches at most; the cursor continues from there. */
const DAYS_PER_SEARCH = 31;
/** Days that one statement searches at most: each may have half a million operations that say the words. */
const DAYS_AT_ONCE = 4;
/** The longest run; a message of an operation is not written later. */
const LONGEST_OPERATION_MS = 2 * DAY;

// A page of what so many operations say fills by walking, with any other filter.
const FREQUENT_SHARE = 0.1;
// To look at an operation takes ten times as long as to collect one that the index of words has; and a day may have half
// a million of them.
const WALK_FOR_SHARE = 0.1 * 500_000;
const WALKED_AT_ONCE = [250, 1000, 2000];
/** Enough to say how frequent words are. */
const LEAST_WALKED = 100;
const MOST_WALKED = 10_000;

/**
 * Newest first: walks through the newest operations, which fills a page of what is frequent. A word that turns out to be
 * rare is looked up by the index of words, day by day. What was not searched yet is behind the cursor.
 */
export async function searchOperations(
  ctx: EnvironmentContext,
  page: SearchPage,
  limit: number,
): Promise<OperationList> {
  const { id } = ctx.environment;
  const walked = await walk(ctx, page);
  const operations = await readLogs(
    ctx,
    async (db) => await listOperationsById(db, id, walked.found),
  );
  if (operations.length > limit) return toList(operations, limit);
  switch (walked.end) {
    case "all":
      return toWhole(operations);
    case "enough": {
      const { last } = walked;
      if (last === undefined) return toWhole(operations);
      const searched = { from: last.createdAt, oldest: await findOldest(ctx, page) };
      return { operations, nextCursor: logCursor.write(last), searched };
    }
    case "rare": {
      const from = await findOldest(ctx, page);
      return await searchByWords(ctx, { ...page, from, after: walked.last }, { operations, limit });
    }
  }
}

/** Where a search ends. */
async function findOldest(ctx: EnvironmentContext, { from }: SearchPage): Promise<Date> {
  const { id } = ctx.environment;
  const oldest = await readLogs(ctx, async (db) => await findOldestTime(db, id));
  return later(oldest ?? from, from);
}

function toWhole(operations: readonly LoggedOperation[]): OperationList {
  return { operations, nextCursor: null, searched: null };
}

interface Walked {
  /** Fit the filter and say the phrase. */
  readonly found: readonly WalkedOperation[];
  /** Up to here everything was looked at. */
  readonly last: Position | undefined;
  /** Why it ended: nothing is left, the page is full or long enough was looked for it, or the index of words is shorter. */
  readonly end: "all" | "enough" | "rare";
}

async function walk(ctx: EnvironmentContext, page: SearchPage): Promise<Walked> {
  const [range, ...others] = toRanges(page.filter);
  const part = range === undefined || others.length > 0 ? { only: undefined } : range;
  const found: WalkedOperation[] = [];
  let last = page.after;
  let [count, read, said] = [0, 0, 0];
  for (let step = 0; count < MOST_WALKED; step += 1) {
    const mostScanned =
      step === 0
        ? Math.max(page.limit, LEAST_WALKED)
        : (WALKED_AT_ONCE[step - 1] ?? Math.max(...WALKED_AT_ONCE));
    // The first look says how frequent the words are, with any filter; after it they are read where it fits.
    const wanted = { ...page, ...part, after: last, mostScanned, readsAll: step === 0 };
    const rows = await readLogs(
      ctx,
      async (db) => await walkOperations(db, ctx.environment.id, wanted),
    );
    for (const row of rows) {
      // What has that many messages is left to the index of words.
      if (row.isUnsure) return { found, last, end: "rare" };
      last = row;
      if (row.says !== null) read += 1;
      if (row.says) said += 1;
      if (row.says && row.fits) found.push(row);
      if (found.length === page.limit) return { found, last, end: "enough" };
    }
    if (rows.length < mostScanned) return { found, last, end: "all" };
    count += rows.length;
    const share = said / read;
    const left = ((page.limit - found.length) * count) / found.length;
    if (share < FREQUENT_SHARE && left > share * WALK_FOR_SHARE) {
      return { found, last, end: "rare" };
    }
  }
  return { found, last, end: "enough" };
}

/**
 * Back in time until a page is full, first a day, then more at once, for a rare word is planned for longer than it is
 * looked up.
 */
async function searchByWords(
  ctx: EnvironmentContext,
  page: SearchPage,
  { operations, limit }: { operations: readonly LoggedOperation[]; limit: number },
): Promise<OperationList> {
  const environmentId = ctx.environment.id;
  const { from } = page;
  const found = [...operations];
  let to = page.after === undefined ? page.to : earlier(page.to, addMs(page.after.createdAt, 1));
  let [searched, atOnce] = [0, 1];
  while (searched < DAYS_PER_SEARCH && to > from) {
    const start = addMs(startOfDayBefore(to), -(atOnce - 1) * DAY);
    const part = { ...page, from: later(start, from), to, limit: limit + 1 - found.length };
    const messagesTo = addMs(to, LONGEST_OPERATION_MS);
    const wanted = { ...part, messagesTo };
    found.push(
      ...(await readLogs(ctx, async (db) => await searchOperationRows(db, environmentId, wanted))),
    );
    if (found.length > limit) return toList(found, limit);
    to = part.from;
    searched += atOnce;
    atOnce = Math.min(2 * atOnce, DAYS_AT_ONCE, DAYS_PER_SEARCH - searched);
  }
  if (to <= from) return toWhole(found);
  const nothing = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  return {
    operations: found,
    nextCursor: logCursor.write({ createdAt: addMs(to, -1), id: nothing }),
    searched: { from: to, oldest: from },
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
  return { operations, nextCursor: isMore ? logCursor.write(last) : null, searched: null };
}
