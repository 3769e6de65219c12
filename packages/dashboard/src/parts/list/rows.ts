import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { PagedQuery, Searched } from "../../data/paged-query.ts";
import { queryClient } from "../../data/query-client.ts";

/** Rows of a list as far as they were read, and how reading them stands. */
export interface Rows<Row> {
  /** Differs for lists that are about something else. */
  readonly id: string;
  readonly rows: readonly Row[];
  readonly isLoading: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly dataUpdatedAt: number;
  /** Whether there are more, which are read as the list is scrolled. */
  readonly hasMore: boolean;
  /** Given where a search has ended early: it continues when somebody asks for that, by `readMore`. */
  readonly searched: Searched | undefined;
  /** Something in it has changed since; several pages are not read again by themselves. */
  readonly isOutdated: boolean;
  /** The first page as it is now, apart from what is shown; undefined for a list without pages. */
  readonly readFirst: ((signal: AbortSignal) => Promise<readonly Row[]>) | undefined;
  /** Back to the first page, as it is now; undefined for a list without pages. */
  readonly restart: (() => Promise<void>) | undefined;
  readonly readMore: () => void;
  readonly refetch: () => unknown;
}

/** Rows of a list with pages. Those of the filter before stay until the new ones are there. */
export function usePagedRows<Row>({ readFirst, ...query }: PagedQuery<Row>): Rows<Row> {
  const list = useInfiniteQuery({ ...query, placeholderData: (before) => before });
  const { data, fetchNextPage, isFetching } = list;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const readMore = useCallback(() => {
    // It would end a reading of the pages that are there, which then stay as they were.
    if (!isFetching) void fetchNextPage();
  }, [fetchNextPage, isFetching]);
  const isInvalidated = useIsInvalidated(query.queryKey);
  const id = JSON.stringify(query.queryKey);
  const restart = useCallback(async () => await restartList(JSON.parse(id)), [id]);
  const searched = data?.pages.at(-1)?.searched ?? undefined;
  return {
    ...list,
    id,
    rows,
    hasMore: list.hasNextPage && searched === undefined,
    searched,
    isOutdated: isInvalidated && !list.isFetching && (data?.pages.length ?? 0) > 1,
    readFirst,
    restart,
    readMore,
  };
}

/** The pages after the first are dropped, and read again when they are scrolled to. */
async function restartList(queryKey: readonly unknown[]): Promise<void> {
  queryClient.setQueryData<InfiniteData<unknown>>(
    queryKey,
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  );
  await queryClient.refetchQueries({ queryKey, exact: true });
}

function useIsInvalidated(queryKey: readonly unknown[]): boolean {
  return useSyncExternalStore(
    (listener) => queryClient.getQueryCache().subscribe(listener),
    () => queryClient.getQueryState(queryKey)?.isInvalidated === true,
  );
}

/** Rows of a list that is read at once, maybe narrowed in the browser. */
export function wholeRows<Row>(
  query: Omit<
    Rows<Row>,
    "id" | "rows" | "hasMore" | "searched" | "isOutdated" | "readFirst" | "restart" | "readMore"
  >,
  rows: readonly Row[],
): Rows<Row> {
  return {
    ...query,
    id: "",
    rows,
    hasMore: false,
    searched: undefined,
    isOutdated: false,
    readFirst: undefined,
    restart: undefined,
    readMore: () => undefined,
  };
}
