import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber, formatTime } from "../formats.ts";
import { FaultBanner } from "../panels/fault-banner.tsx";
import type { Rows } from "./rows.ts";

/** Filters above a list, how much of it is there, and what went wrong; rows that were read before stay. */
export function ListFrame({
  list,
  filters,
  children,
}: {
  list: Rows<unknown>;
  filters: ReactNode;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const updated = formatTime(new Date(list.dataUpdatedAt).toISOString()).replace(/\.\d+$/, "");
  const count = list.rows.length;
  const amount = formatNumber(count);
  return (
    <>
      <div className="filters">
        {filters}
        <div className="list-status">
          {count > 0 && (
            <span className="soft" role="status">
              {list.hasMore ? tables.rowsLoaded(amount) : tables.rowsAll(amount)}
              {" · "}
              {tables.updated(updated)}
            </span>
          )}
          {list.isOutdated && (
            <Button className="button small" onPress={() => void list.refetch()}>
              {tables.showNew}
            </Button>
          )}
        </div>
      </div>
      <div className="progress" data-busy={list.isFetching && !list.isLoading} />
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      {!(list.isError && count === 0) && children}
    </>
  );
}
