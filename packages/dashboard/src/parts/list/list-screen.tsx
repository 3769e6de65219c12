import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import type { Period } from "../../data/ranges.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import type { Chosen } from "../bulk/selection-bar.tsx";
import type { Target } from "../go.tsx";
import { CodeButton, type CodeExample } from "../panels/code-panel.tsx";
import { Drawer } from "../panels/drawer.tsx";
import type { Column } from "../table/column.ts";
import { ColumnChooser } from "../table/column-chooser.tsx";
import { DataTable, useShownColumns } from "../table/data-table.tsx";
import { useAddress } from "../use-address.ts";
import { useIsWide } from "../use-is-wide.ts";
import { type KnownValues, unknownWords } from "./known-values.tsx";
import { ListFrame } from "./list-frame.tsx";
import { NewRowsButton } from "./new-rows-button.tsx";
import type { EmptyList, Narrowing } from "./no-rows.tsx";
import type { Rows } from "./rows.ts";
import { type AllMatching, useChosen } from "./use-chosen.tsx";
import { useNewRows } from "./use-new-rows.ts";

// Loaded for a list without rows alone.
const NoRows = lazy(async () => ({ default: (await import("./no-rows.tsx")).NoRows }));

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
  /** Without the words of its time, which `period` stands for. */
  readonly narrowing: Narrowing;
  /** Of those words, the ones that take certain values only. */
  readonly values?: KnownValues;
  /** What can be done with chosen rows; without it none can be chosen. */
  readonly bulk?: (chosen: Chosen<Row>) => ReactNode;
  /** Given where all that the filter lets through can be chosen, too. */
  readonly all?: AllMatching;
  readonly examples: readonly CodeExample[];
  /** More buttons in the head. */
  readonly actions?: ReactNode;
  /** What stands above the filters. */
  readonly above?: ReactNode;
  readonly empty: EmptyList;
  /** Said with the filters that nothing matches. */
  readonly noneText?: string;
  /** How many rows there are without filters, where that is known anyway. */
  readonly total?: number | undefined;
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
  const shown = useShownColumns(props.id, columns, list.rows);
  const chosen = useChosen(
    { list, keyOf, columns: shown, bulk: props.bulk, all: props.all },
    words,
  );
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
            {list.isOutdated && (
              <NewRowsButton
                list={list}
                keyOf={keyOf}
                onShow={() => setTops((before) => before + 1)}
              />
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
            empty={
              <Suspense fallback={null}>
                <NoRows {...props} />
              </Suspense>
            }
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

const noValues: KnownValues = {};
