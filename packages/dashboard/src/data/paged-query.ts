import { infiniteQueryOptions } from "@tanstack/react-query";

/** One page of a list, as every route that has pages answers it. */
interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor?: string | null | undefined;
  readonly searched?: Searched | null | undefined;
}

/** How far a search has come that ended early, and how far it has to go. */
export interface Searched {
  readonly from: string;
  readonly oldest: string;
}

/** What a page is asked for with. */
export interface PageCall {
  readonly query: { readonly limit: string; readonly cursor: string | undefined };
  /** When the first page was read: what is relative to now holds for all pages. */
  readonly readAt: number;
  readonly signal: AbortSignal;
}

const PAGE_SIZE = 100;

/** Pages that read one list at about the same time ask the same question, which the server answers once. */
const MOMENT_MS = 10_000;

function currentMoment(): number {
  return Math.floor(Date.now() / MOMENT_MS) * MOMENT_MS;
}
const firstPage: { readonly cursor: string; readonly readAt: number } | undefined = undefined;

/** A list that is read page by page. `watch`: how often it is read again by itself, seen from its rows. */
export function pagedQuery<Row>(
  queryKey: readonly unknown[],
  read: (call: PageCall) => Promise<Page<Row>>,
  watch?: (rows: readonly Row[]) => number | false,
): PagedQuery<Row> {
  return {
    ...optionsOf(queryKey, read, watch),
    readFirst: async (signal) => {
      const query = { limit: String(PAGE_SIZE), cursor: undefined };
      return (await read({ query, readAt: currentMoment(), signal })).data;
    },
  };
}

function optionsOf<Row>(
  queryKey: readonly unknown[],
  read: (call: PageCall) => Promise<Page<Row>>,
  watch: ((rows: readonly Row[]) => number | false) | undefined,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const { cursor, readAt } = pageParam ?? { cursor: undefined, readAt: currentMoment() };
      const query = { limit: String(PAGE_SIZE), cursor };
      return { ...(await read({ query, readAt, signal })), readAt };
    },
    initialPageParam: firstPage,
    getNextPageParam: ({ next_cursor: cursor, readAt }) =>
      typeof cursor === "string" ? { cursor, readAt } : undefined,
    refetchInterval: ({ state }) =>
      watch?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
  });
}

export type PagedQuery<Row> = ReturnType<typeof optionsOf<Row>> & {
  /** The first page as it is now, of which the list that is shown learns nothing. */
  readonly readFirst: (signal: AbortSignal) => Promise<readonly Row[]>;
};
