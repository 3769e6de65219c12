import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import type { Period } from "../../data/ranges.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { type Chosen, SelectionBar } from "../bulk/selection-bar.tsx";
import { periodText } from "../filters/period-select.tsx";
import type { Target } from "../go.tsx";
import { CodeButton, type CodeExample } from "../panels/code-panel.tsx";
import { Drawer } from "../panels/drawer.tsx";
import { Empty } from "../panels/empty.tsx";
import type { Column } from "../table/column.ts";
import { ColumnChooser } from "../table/column-chooser.tsx";
import { DataTable, type RowSelection } from "../table/data-table.tsx";
import { type SearchWords, useAddress } from "../use-address.ts";
import { useIsWide } from "../use-is-wide.ts";
import { type KnownValues, unknownWords } from "./known-values.tsx";
import { ListFrame } from "./list-frame.tsx";
import { NewRowsButton } from "./new-rows-button.tsx";
import type { Rows } from "./rows.ts";
import { useNewRows } from "./use-new-rows.ts";

/** The row whose panel is open, by the word `open` of the address. */
export interface OpenRow<Row> {
  readonly id: string;
  /** Nothing when the list has not read it: the address may name any. */
  readonly row: Row | undefined;
  readonly onClose: () => void;
  readonly onStep: (by: 1 | -1) => void;
}

export interface ListScreenProps<Row extends object> {
  /** Name of the table, under which its hidden columns are remembered. */
  readonly id: string;
  readonly title: string;
  readonly parent?: { readonly text: string; readonly target: Target };
  readonly columns: readonly Column<Row>[];
  readonly list: Rows<Row>;
  readonly keyOf: (row: Row) => string;
  /** Where a row leads: by itself without a panel, else on narrow windows; nowhere then if left out. */
  readonly pageOf?: (row: Row) => Target;
  /** The panel of a row next to the list. */
  readonly panel?: (open: OpenRow<Row>) => ReactNode;
  readonly filters?: ReactNode;
  /** Words of the address that narrow the list, each with its value when it does not. */
  readonly narrowing: SearchWords;
  /** Of those words, the ones that take certain values only. */
  readonly values?: KnownValues;
  /** What can be done with chosen rows; without it none can be chosen. */
  readonly bulk?: (chosen: Chosen<Row>) => ReactNode;
  /** Whether all that the filter lets through can be chosen, too. */
  readonly takesAll?: boolean;
  readonly examples: readonly CodeExample[];
  /** More buttons in the head. */
  readonly actions?: ReactNode;
  /** What stands above the filters. */
  readonly above?: ReactNode;
  /** What is said of a list that has no rows at all. */
  readonly empty: { readonly title: string; readonly text?: string; readonly action?: ReactNode };
  /** Said with the filters that nothing matches. */
  readonly noneText?: string;
  /** The time that the list is about, where words of the address say so. */
  readonly period?: Period;
}

/** A screen that is a list: its filters and its open row are in the address, and it shows its state. */
export function ListScreen<Row extends object>(props: ListScreenProps<Row>) {
  const { list, columns, keyOf, pageOf, panel } = props;
  const { tables } = useTexts();
  const { words, change } = useAddress();
  const isWide = useIsWide();
  const open = panel === undefined ? undefined : words["open"];
  const inPanel = (row: Row) => ({ to: ".", search: { ...words, open: keyOf(row) } });
  const chosen = useChosen(props, words);
  const unknown = unknownWords(props.values ?? noValues, words);
  useNewRows(list, keyOf, props.title);
  const isFollowed = list.restart !== undefined && words["live"] === "1";
  const { restart, isOutdated } = list;
  useEffect(() => {
    if (isFollowed && isOutdated) void restart?.();
  }, [isFollowed, isOutdated, restart]);
  const [tops, setTops] = useState(0);
  const step = (by: 1 | -1) => {
    const next = list.rows[list.rows.findIndex((row) => keyOf(row) === open) + by];
    if (next !== undefined) change({ open: keyOf(next) }, { replace: true });
  };
  return (
    <>
      <ScreenHead
        title={props.title}
        {...(props.parent === undefined ? {} : { parent: props.parent })}
      >
        <CodeButton examples={props.examples} />
        <ColumnChooser id={props.id} columns={columns} />
        <Button className="button" onPress={() => void list.refetch()}>
          {tables.refresh}
        </Button>
        {props.actions}
      </ScreenHead>
      {props.above}
      {chosen.bar}
      <ListFrame
        list={list}
        filters={props.filters}
        unknown={unknown}
        buttons={
          <>
            {list.isOutdated && (
              <NewRowsButton
                list={list}
                keyOf={keyOf}
                onShow={() => setTops((before) => before + 1)}
              />
            )}
            {restart !== undefined && (
              <Button
                className="button small"
                data-shortcut="l"
                aria-pressed={isFollowed}
                onPress={() => change({ live: isFollowed ? undefined : "1" }, { replace: true })}
              >
                {tables.live}
              </Button>
            )}
          </>
        }
      >
        <div className="split">
          <DataTable
            id={props.id}
            label={props.title}
            columns={columns}
            rows={list.rows}
            keyOf={keyOf}
            targetOf={(row) =>
              panel !== undefined && (isWide || pageOf === undefined)
                ? inPanel(row)
                : (pageOf?.(row) ?? inPanel(row))
            }
            openKey={open}
            isFollowed={isFollowed}
            tops={tops}
            selection={chosen.selection}
            isLoading={list.isLoading}
            hasMore={list.hasMore}
            onEnd={list.readMore}
            empty={<NoRows {...props} />}
          />
          {open !== undefined && (
            <OpenPanel
              open={{
                id: open,
                row: list.rows.find((row) => keyOf(row) === open),
                onClose: () => change({ open: undefined }),
                onStep: step,
              }}
              panel={panel}
              isLoading={list.isLoading}
            />
          )}
        </div>
      </ListFrame>
    </>
  );
}

/** The panel of a row; says so where the address names none of the list. */
function OpenPanel<Row extends object>({
  open,
  panel,
  isLoading,
}: {
  open: OpenRow<Row>;
  panel: ListScreenProps<Row>["panel"];
  isLoading: boolean;
}) {
  const { tables } = useTexts();
  // What its own panel has deleted leaves the list, and closes with it.
  const seen = useRef<string>(undefined);
  if (open.row !== undefined) seen.current = open.id;
  const shown = panel?.(open);
  if (shown !== false && shown !== undefined) return shown;
  if (isLoading || seen.current === open.id) return null;
  return (
    <Drawer title={tables.notFoundTitle} onClose={open.onClose} onStep={open.onStep}>
      <p className="padded">{tables.notListed}</p>
    </Drawer>
  );
}

/** The rows that are chosen, as long as the filters stay. */
function useChosen<Row extends object>(
  { list, keyOf, bulk, takesAll = false }: ListScreenProps<Row>,
  { open: _open, live: _live, ...narrowed }: SearchWords,
) {
  const narrowing = JSON.stringify(narrowed);
  const [state, setState] = useState(nothingChosen);
  const { keys, isAll } = state.narrowing === narrowing ? state : nothingChosen;
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
        onAll={takesAll ? () => set({ keys: noKeys, isAll: true }) : undefined}
        onClear={() => set({ keys: noKeys, isAll: false })}
      >
        {bulk(chosen)}
      </SelectionBar>
    ),
  };
}

const noValues: KnownValues = {};
const noKeys: ReadonlySet<string> = new Set();
const nothingChosen = { narrowing: "", keys: noKeys, isAll: false };

/** Nothing there yet, or nothing that the time or the filters let through: then they can be taken away. */
function NoRows<Row extends object>({ narrowing, empty, noneText, period }: ListScreenProps<Row>) {
  const { tables } = useTexts();
  const { words, change } = useAddress();
  const narrowed = Object.entries(narrowing).filter(([word, none]) => words[word] !== none);
  const time = period === undefined ? undefined : periodText(tables, period);
  const isByTime = time !== undefined && narrowed.every(([word]) => timeWords.includes(word));
  if (isByTime || narrowed.length === 0) {
    const isOfAllTime = narrowed.length === 0 || time === undefined;
    return (
      <Empty
        title={isOfAllTime ? empty.title : tables.nothingIn(time)}
        {...(empty.text === undefined ? {} : { text: empty.text })}
      >
        {!isOfAllTime && (
          <Button className="button" onPress={() => change(Object.fromEntries(narrowed))}>
            {tables.showAllTime}
          </Button>
        )}
        {empty.action}
      </Empty>
    );
  }
  const text = time === undefined ? noneText : `${tables.range}: ${time}`;
  return (
    <Empty title={tables.noneMatch} {...(text === undefined ? {} : { text })}>
      <Button className="button" onPress={() => change(narrowing)}>
        {tables.clearFilters}
      </Button>
    </Empty>
  );
}

/** Words of the address that a time has; every list of a time has one by default. */
const timeWords = ["range", "from", "to"];
