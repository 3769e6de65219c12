import {
  columnVisibilityFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { usePreferences, useTableLook } from "../../data/preferences.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber } from "../formats.ts";
import type { Target } from "../go.tsx";
import { Skeleton } from "../panels/skeleton.tsx";
import { BodyRow } from "./body-row.tsx";
import type { Column } from "./column.ts";
import { HeadRow } from "./head-row.tsx";
import { orderColumns } from "./order-columns.ts";
import { useIsPrinting } from "./use-is-printing.ts";

export interface DataTableProps<Row> {
  /** Name of the table, also for what is remembered of it. */
  readonly id: string;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Where a row leads; in a new tab with Ctrl, as links do. */
  readonly targetOf: (row: Row) => Target;
  /** Key of the row whose panel is open. */
  readonly openKey?: string | undefined;
  /** Whether there are rows after these. */
  readonly hasMore?: boolean;
  readonly onEnd?: () => void;
  /** Rows that are chosen, by their keys; without it none can be. */
  readonly selection?: RowSelection | undefined;
  /** Shown in place of rows when there are none. */
  readonly empty: ReactNode;
  /** Whether rows that arrive at the top are shown also to who reads further down. */
  readonly isFollowed?: boolean;
  /** The table goes to its top when this is another number. */
  readonly tops?: number;
  /** Rows of the final height stand in for those that are being read. */
  readonly isLoading: boolean;
}

export interface RowSelection {
  readonly keys: ReadonlySet<string>;
  readonly onChange: (keys: ReadonlySet<string>) => void;
}

const ROW_HEIGHT = 32;
const COMPACT_HEIGHT = 28;
const ROWS_BEYOND = 12;
/** Drawn above and below what can be seen: with more, the part of the document that a list takes is over 400 nodes. */
const ROWS_AROUND = 6;
const SKELETON_ROWS = 12;
/** Of the rows that are there; more take a browser minutes. */
const MOST_PRINTED = 1000;
/** More than fit on a screen: the list is as high as its place, and nothing is measured when rows change. */
const LONG_ROWS = 60;
const features = tableFeatures({ columnVisibilityFeature });

/** Rows in one line each, of which only those in sight are in the document. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const shown = useShownColumns(props.id, props.columns, props.rows);
  return <ShownTable {...props} shown={shown} />;
}

/** Alone in being drawn again while the list scrolls. */
function ShownTable<Row extends object>({
  shown,
  ...props
}: DataTableProps<Row> & { shown: readonly Column<Row>[] }) {
  const { rows, keyOf, hasMore = false, onEnd } = props;
  const { tables } = useTexts();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const { isCompact } = usePreferences();
  const rowHeight = isCompact ? COMPACT_HEIGHT : ROW_HEIGHT;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: ROWS_AROUND,
    // The same one until rows change: with another one it measures all of them again.
    getItemKey: useCallback((index: number) => keyOf(at(rows, index)), [rows, keyOf]),
  });
  const { measure } = virtual;
  const measured = useRef(rowHeight);
  useLayoutEffect(() => {
    if (measured.current === rowHeight) return;
    measured.current = rowHeight;
    measure();
  }, [rowHeight, measure]);
  const inSight = virtual.getVirtualItems();
  const last = inSight.at(-1)?.index ?? 0;
  const isPrinting = useIsPrinting();
  const items = isPrinting ? rows.slice(0, MOST_PRINTED).map(toItem) : inSight;
  useEffect(() => {
    if (hasMore && last >= rows.length - ROWS_BEYOND) onEnd?.();
  }, [hasMore, last, rows.length, onEnd]);
  const { isFollowed = false, tops = 0 } = props;
  const move = (by: number) => setActive((before) => before + by);
  useKeepPlace({ scroller, rows, keyOf, rowHeight, isFollowed, move });
  useLayoutEffect(() => {
    if (isFollowed || tops > 0) scroller.current?.scrollTo({ top: 0 });
  }, [isFollowed, tops]);
  const focusRow = (index: number) => {
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    setActive(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => findLink(scroller.current, next)?.focus());
  };
  const { selection } = props;
  const isSelectable = selection !== undefined;
  const layout = useMemo(() => columnLayout(shown, isSelectable), [shown, isSelectable]);
  const select = useSelect(rows, keyOf, selection);
  const count = hasMore ? -1 : rows.length + 1;
  return (
    <div
      className="table-scroll"
      data-long={rows.length > LONG_ROWS}
      data-compact={isCompact}
      ref={scroller}
    >
      <table
        className={rows.length === 0 ? "table none" : "table"}
        aria-label={props.label}
        aria-rowcount={count}
        aria-busy={props.isLoading}
        style={layout}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const isLink = event.target instanceof HTMLAnchorElement;
          if (isLink && event.key === "x") select(active, false);
          const step = rowStep(event.key, event.target);
          if (step === undefined) return;
          event.preventDefault();
          focusRow(step === "first" ? 0 : step === "last" ? rows.length - 1 : active + step);
        }}
      >
        <thead>
          <HeadRow table={props.id} columns={shown} isSelectable={isSelectable} />
        </thead>
        <tbody style={isPrinting ? {} : { height: `${virtual.getTotalSize()}px` }}>
          {items.map(({ index, start }) => {
            const row = at(rows, index);
            const isOpen = keyOf(row) === props.openKey;
            return (
              <BodyRow
                key={keyOf(row)}
                {...{ row, index, start, isOpen, shown, isSelectable, select }}
                targetOf={props.targetOf}
                isActive={index === active}
                isChosen={selection?.keys.has(keyOf(row)) === true}
                onActive={setActive}
              />
            );
          })}
        </tbody>
      </table>
      {isPrinting && (hasMore || rows.length > items.length) && (
        <p className="soft padded">{tables.printed(formatNumber(items.length))}</p>
      )}
      {rows.length === 0 &&
        (props.isLoading ? (
          <Skeleton rows={SKELETON_ROWS} label={tables.loadingRows} />
        ) : (
          props.empty
        ))}
    </div>
  );
}

/** Chooses a row or takes it away; `ranges`: with all between it and the last one, which was chosen before. */
function useSelect<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  selection: RowSelection | undefined,
) {
  const last = useRef<number | undefined>(undefined);
  const latest = useRef({ rows, keyOf, selection });
  useLayoutEffect(() => {
    latest.current = { rows, keyOf, selection };
  });
  return useCallback((index: number, ranges: boolean) => {
    const { rows, keyOf, selection } = latest.current;
    const row = rows[index];
    if (selection === undefined || row === undefined) return;
    const keys = new Set(selection.keys);
    const from = ranges ? (last.current ?? index) : index;
    const isChosen = keys.has(keyOf(row));
    for (const each of rows.slice(Math.min(from, index), Math.max(from, index) + 1)) {
      if (isChosen) keys.delete(keyOf(each));
      else keys.add(keyOf(each));
    }
    last.current = index;
    selection.onChange(keys);
  }, []);
}

/** Rows that arrive above do not move those that are read; at the top they come into sight. */
function useKeepPlace<Row>({
  scroller,
  rows,
  keyOf,
  isFollowed,
  rowHeight,
  move,
}: {
  scroller: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  isFollowed: boolean;
  rowHeight: number;
  move: (by: number) => void;
}): void {
  const first = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const before = first.current;
    const [top] = rows;
    first.current = top === undefined ? undefined : keyOf(top);
    if (before === undefined || before === first.current) return;
    const added = rows.findIndex((row) => keyOf(row) === before);
    const element = scroller.current;
    if (isFollowed) element?.scrollTo({ top: 0 });
    if (added <= 0) return;
    if (element?.contains(document.activeElement) === true) move(added);
    if (!isFollowed && element !== null && element.scrollTop > 0)
      element.scrollTop += added * rowHeight;
  });
}

/** Columns that are shown, as a person has chosen, ordered and sized them. */
export function useShownColumns<Row extends object>(
  id: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly Column<Row>[] {
  const look = useTableLook(id);
  const helper = createColumnHelper<typeof features, Row>();
  const definitions = useMemo(
    () => columns.map((column) => helper.display({ id: column.id, header: column.header })),
    [columns, helper.display],
  );
  const columnVisibility = useMemo(
    () => Object.fromEntries((look.hidden ?? []).map((name) => [name, false])),
    [look.hidden],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    state: { columnVisibility },
  });
  // Columns may have the names of fields, which hold any text.
  const names = JSON.stringify(table.getVisibleLeafColumns().map((column) => column.id));
  return useMemo(() => {
    const shown: unknown[] = JSON.parse(names);
    return orderColumns(columns, look)
      .filter((column) => shown.includes(column.id))
      .map((column) => {
        const width = look.widths?.[column.id];
        return width === undefined ? column : { ...column, width: `${width}px` };
      });
  }, [columns, names, look]);
}

function columnLayout(columns: readonly Column<never>[], isSelectable: boolean): CSSProperties {
  const own = columns.map(({ width }) => width);
  const widths = isSelectable ? ["36px", ...own] : own;
  // Longer text is cut, so that the last column stays in sight; below its least widths a table scrolls.
  const leastOf = (width: string) => Number(/\d+/.exec(width)?.[0] ?? 0);
  const least = widths.reduce((sum, width) => sum + leastOf(width), 0);
  // On paper nothing scrolls: columns share its width.
  const printed = own.map((width) => `minmax(0, ${leastOf(width)}fr)`);
  return Object({
    "--columns": widths.join(" "),
    "--least": `${least}px`,
    "--printed": printed.join(" "),
  });
}

function findLink(scroller: HTMLElement | null, index: number): HTMLElement | null | undefined {
  return scroller?.querySelector<HTMLElement>(`a[data-row="${index}"]`);
}

/** Which row a key leads to, seen from the one that has the focus. */
function rowStep(key: string, target: EventTarget): number | "first" | "last" | undefined {
  if (!(target instanceof HTMLAnchorElement)) return undefined;
  if (key === "ArrowDown" || key === "j") return 1;
  if (key === "ArrowUp" || key === "k") return -1;
  if (key === "PageDown") return 20;
  if (key === "PageUp") return -20;
  if (key === "Home") return "first";
  return key === "End" ? "last" : undefined;
}

/** On paper rows follow each other, as high as they need. */
function toItem(_row: unknown, index: number) {
  return { index, start: 0 };
}

function at<Row>(rows: readonly Row[], index: number): Row {
  const row = rows[index];
  if (row === undefined) throw new Error(`there is no row ${index}`);
  return row;
}
