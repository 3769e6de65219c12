/** A place in a list that is ordered by time and id. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** Rows that one page of a filtered list looks at; what is behind them is behind the page's cursor. */
export const MOST_SCANNED = 10_000;

export interface BoundedPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; undefined at the end. */
  readonly next: ListPosition | undefined;
}

/** A part of a list that an index has in the list's order, newest first. */
export interface ListRange<Row> {
  /** Up to so many rows that fit the filter, of the first ones that the index has. */
  readonly list: (limit: number) => Promise<readonly Row[]>;
  /** The last of the rows that `list` looks at, when there are more; absent where it passes over none. */
  readonly findBound?: (() => Promise<ListPosition | undefined>) | undefined;
}

interface BoundedList<Row> {
  readonly limit: number;
  /** The row's place in the list. */
  readonly positionOf: (row: Row) => ListPosition;
  readonly ranges: readonly ListRange<Row>[];
}

/**
 * A page of a list whose filter no index has: looks at a bounded number of rows, newest first. A page may be short,
 * even empty, and still have a next one.
 */
export async function listBounded<Row>(list: BoundedList<Row>): Promise<BoundedPage<Row>> {
  const { limit, positionOf, ranges } = list;
  const found: Row[] = [];
  let bound: ListPosition | undefined;
  for (const range of ranges) {
    const rows = await range.list(limit + 1);
    found.push(...rows);
    const end = rows.length > limit ? undefined : await range.findBound?.();
    if (end !== undefined && (bound === undefined || isOlder(bound, end))) bound = end;
  }
  const known = found
    .filter((row) => bound === undefined || !isOlder(positionOf(row), bound))
    .toSorted((a, b) => (isOlder(positionOf(a), positionOf(b)) ? 1 : -1));
  const rows = known.slice(0, limit);
  const last = rows.at(-1);
  if (known.length > limit && last !== undefined) return { rows, next: positionOf(last) };
  return { rows, next: bound };
}

function isOlder(a: ListPosition, b: ListPosition): boolean {
  const difference = a.createdAt.getTime() - b.createdAt.getTime();
  return difference < 0 || (difference === 0 && a.id < b.id);
}
