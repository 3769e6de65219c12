import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import type { PagedQuery } from "../../data/paged-query.ts";
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
  readonly hasMore: boolean;
  /** Something in it has changed since; several pages are not read again by themselves. */
  readonly isOutdated: boolean;
  readonly readMore: () => void;
  readonly refetch: () => unknown;
}

/** Rows of a list with pages. Those of the filter before stay until the new ones are there. */
export function usePagedRows<Row>(query: PagedQuery<Row>): Rows<Row> {
  const list = useInfiniteQuery({ ...query, placeholderData: (before) => before });
  const { data, fetchNextPage, isFetchingNextPage } = list;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const readMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const isInvalidated = useIsInvalidated(query.queryKey);
  return {
    ...list,
    id: JSON.stringify(query.queryKey),
    rows,
    hasMore: list.hasNextPage,
    isOutdated: isInvalidated && !list.isFetching && (data?.pages.length ?? 0) > 1,
    readMore,
  };
}

function useIsInvalidated(queryKey: readonly unknown[]): boolean {
  return useSyncExternalStore(
    (listener) => queryClient.getQueryCache().subscribe(listener),
    () => queryClient.getQueryState(queryKey)?.isInvalidated === true,
  );
}

/** Rows of a list that is read at once, maybe narrowed in the browser. */
export function wholeRows<Row>(
  query: Omit<Rows<Row>, "id" | "rows" | "hasMore" | "isOutdated" | "readMore">,
  rows: readonly Row[],
): Rows<Row> {
  return {
    ...query,
    id: "",
    rows,
    hasMore: false,
    isOutdated: false,
    readMore: () => undefined,
  };
}
