import { lazy, type ReactNode, Suspense } from "react";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { formatDay, formatMoment, formatNumber } from "../formats.ts";
import { FaultBanner } from "../panels/fault-banner.tsx";
import { useIsPrinting } from "../table/use-is-printing.ts";
import { UnknownFilter } from "./known-values.tsx";
import type { Rows } from "./rows.ts";

// Loaded for a search that ended early alone.
const SearchedPart = lazy(async () => ({
  default: (await import("./no-rows.tsx")).SearchedPart,
}));

/** Filters above a list, how much of it is there, and what went wrong; rows that were read before stay. */
export function ListFrame({
  list,
  filters,
  unknown,
  buttons,
  children,
}: {
  list: Rows<unknown>;
  filters: ReactNode;
  /** Words of the address whose values the list does not know. */
  unknown: readonly string[];
  /** What can be done about its state. */
  buttons: ReactNode;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const isPrinting = useIsPrinting();
  const count = list.rows.length;
  const status = statusOf(list, tables, isPrinting);
  const isKnown = unknown.length === 0;
  return (
    <>
      <div className="filters">
        {filters}
        <div className="list-status">
          {isKnown && status !== "" && (
            <span className="soft" role="status">
              {status}
            </span>
          )}
          {buttons}
        </div>
      </div>
      <div className="progress" data-busy={list.isFetching && !list.isLoading} />
      {!isKnown && <UnknownFilter unknown={unknown} />}
      {isKnown && list.isError && (
        <FaultBanner error={list.error} onRetry={() => void list.refetch()} />
      )}
      {isKnown && list.searched !== undefined && (
        <Suspense fallback={null}>
          <SearchedPart list={list} {...list.searched} />
        </Suspense>
      )}
      {isKnown && !(list.isError && count === 0) && children}
    </>
  );
}

/**
 * How many rows there are, and of when; those of the filter before have no time that is theirs. Paper is read on another
 * day.
 */
function statusOf(list: Rows<unknown>, tables: Texts["tables"], isPrinting: boolean): string {
  const amount = formatNumber(list.rows.length);
  const counted =
    list.hasMore || list.searched !== undefined
      ? tables.rowsLoaded(amount)
      : tables.rowsAll(amount);
  const updatedAt = new Date(list.dataUpdatedAt).toISOString();
  const at = isPrinting ? formatDay(updatedAt) : formatMoment(updatedAt);
  return [list.rows.length > 0 ? counted : "", list.dataUpdatedAt > 0 ? tables.updated(at) : ""]
    .filter((part) => part !== "")
    .join(" · ");
}
