import type { ReactNode } from "react";
import type { Target } from "../go.tsx";
import { Card } from "../panels/card.tsx";
import { Empty } from "../panels/empty.tsx";
import { FaultBanner } from "../panels/fault-banner.tsx";
import type { Column } from "../table/column.ts";
import { DataTable } from "../table/data-table.tsx";
import type { Rows } from "./rows.ts";

/** Rows above which a list scrolls by itself. */
const MOST_OPEN = 12;

/** A list that is a part of a page. */
export function InnerList<Row extends object>({
  id,
  title,
  actions,
  list,
  columns,
  keyOf,
  targetOf,
  empty,
}: {
  id: string;
  title: string;
  actions?: ReactNode;
  list: Rows<Row>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  targetOf: (row: Row) => Target;
  /** What is said of a list without rows. */
  empty: string;
}) {
  const isTall = list.rows.length > MOST_OPEN;
  return (
    <Card title={title} {...(actions === undefined ? {} : { actions })}>
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      {!(list.isError && list.rows.length === 0) && (
        <div className={isTall ? "inner-table tall" : "inner-table"}>
          <DataTable
            id={id}
            label={title}
            columns={columns}
            rows={list.rows}
            keyOf={keyOf}
            targetOf={targetOf}
            isLoading={list.isLoading}
            hasMore={list.hasMore}
            onEnd={list.readMore}
            empty={<Empty title={empty} />}
          />
        </div>
      )}
    </Card>
  );
}
