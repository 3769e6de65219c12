import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useContext, useState } from "react";
import { type BulkWish, bulkCountQuery } from "../../data/bulk.ts";
import { EnvironmentContext, useMay } from "../../shell/use-environment.ts";
import type { CopyRows as Copies } from "../bulk/copy-rows.tsx";
import { type Chosen, SelectionBar } from "../bulk/selection-bar.tsx";
import type { Column } from "../table/column.ts";
import type { RowSelection } from "../table/data-table.tsx";
import type { SearchWords } from "../use-address.ts";
import type { Rows } from "./rows.ts";

// Loaded once rows are chosen. A lazy component has no type of rows of its own.
const CopyRows = lazy(async () => ({
  default: (await import("../bulk/copy-rows.tsx")).CopyRows,
})) as unknown as typeof Copies;

/** All that a filter lets through: a job about them, by which they are counted, and the scope that it needs. */
export interface AllMatching {
  readonly wish: BulkWish;
  readonly scope: string;
}

/** The rows that are chosen, as long as the filters stay, and the bar that says so. */
export function useChosen<Row extends object>(
  {
    list,
    keyOf,
    columns,
    bulk,
    all,
  }: {
    list: Rows<Row>;
    keyOf: (row: Row) => string;
    columns: readonly Column<Row>[];
    bulk: ((chosen: Chosen<Row>) => ReactNode) | undefined;
    all: AllMatching | undefined;
  },
  { open: _open, live: _live, ...narrowed }: SearchWords,
): { readonly selection: RowSelection | undefined; readonly bar: ReactNode } {
  const narrowing = JSON.stringify(narrowed);
  const [state, setState] = useState(nothingChosen);
  const { keys, isAll } = state.narrowing === narrowing ? state : nothingChosen;
  const matching = useMatching(list, isAll ? all : undefined);
  if (bulk === undefined) return { selection: undefined, bar: null };
  const set = (changed: { readonly keys: ReadonlySet<string>; readonly isAll: boolean }) =>
    setState({ ...changed, narrowing });
  const shown = isAll ? new Set(list.rows.map(keyOf)) : keys;
  const selection: RowSelection = {
    keys: shown,
    onChange: (next) => set({ keys: next, isAll: false }),
  };
  const chosen: Chosen<Row> = isAll
    ? { kind: "all" }
    : { kind: "rows", rows: list.rows.filter((row) => keys.has(keyOf(row))) };
  // What was deleted leaves the list, and not the dialog that says so.
  if (keys.size === 0 && !isAll) return { selection, bar: null };
  return {
    selection,
    bar: (
      <SelectionBar
        chosen={chosen}
        matching={matching}
        onAll={all === undefined ? undefined : () => set({ keys: noKeys, isAll: true })}
        onClear={() => set({ keys: noKeys, isAll: false })}
      >
        {bulk(chosen)}
        {chosen.kind === "rows" && (
          <Suspense fallback={null}>
            <CopyRows rows={chosen.rows} columns={columns} />
          </Suspense>
        )}
      </SelectionBar>
    ),
  };
}

/** How many there are: a list that was read to its end says it by itself, else the server counts once it matters. */
function useMatching(list: Rows<unknown>, all: AllMatching | undefined): number | undefined {
  const environment = useContext(EnvironmentContext)?.name ?? "";
  const mayCount = useMay(all?.scope ?? "");
  const isWhole = !(
    list.hasMore ||
    list.searched !== undefined ||
    list.isLoading ||
    list.isFetching
  );
  const counted = useQuery({
    ...bulkCountQuery(environment, all?.wish),
    enabled: all !== undefined && mayCount && !isWhole,
  });
  return isWhole ? list.rows.length : counted.data;
}

const noKeys: ReadonlySet<string> = new Set();
const nothingChosen = { narrowing: "", keys: noKeys, isAll: false };
