import type { ReactNode } from "react";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber, formatTime } from "../formats.ts";
import { FaultBanner } from "../panels/fault-banner.tsx";

/** What a list has read, as TanStack Query reports it. */
interface ListState {
  readonly isError: boolean;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly isLoading: boolean;
  readonly hasNextPage: boolean;
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
}

/** Filters above a list, how much of it is there, and what went wrong; rows that were read before stay. */
export function ListFrame({
  list,
  count,
  filters,
  children,
}: {
  list: ListState;
  count: number;
  filters: ReactNode;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const updated = formatTime(new Date(list.dataUpdatedAt).toISOString()).replace(/\.\d+$/, "");
  const amount = formatNumber(count);
  return (
    <>
      <div className="filters">
        {filters}
        {count > 0 && (
          <span className="soft" role="status">
            {list.hasNextPage ? tables.rowsLoaded(amount) : tables.rowsAll(amount)}
            {" · "}
            {tables.updated(updated)}
          </span>
        )}
      </div>
      <div className="progress" data-busy={list.isFetching && !list.isLoading} />
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      {!(list.isError && count === 0) && children}
    </>
  );
}
