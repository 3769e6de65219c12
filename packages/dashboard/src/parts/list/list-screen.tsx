import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import type { Target } from "../go.tsx";
import { CodeButton, type CodeExample } from "../panels/code-panel.tsx";
import { Empty } from "../panels/empty.tsx";
import { ColumnChooser } from "../table/column-chooser.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { type SearchWords, useAddress } from "../use-address.ts";
import { useIsWide } from "../use-is-wide.ts";
import { ListFrame } from "./list-frame.tsx";
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
  readonly examples: readonly CodeExample[];
  /** More buttons in the head. */
  readonly actions?: ReactNode;
  /** What stands above the filters. */
  readonly above?: ReactNode;
  /** What is said of a list that has no rows at all. */
  readonly empty: { readonly title: string; readonly text?: string; readonly action?: ReactNode };
  /** Said with the filters that nothing matches. */
  readonly noneText?: string;
}

/** A screen that is a list: its filters and its open row are in the address, and it shows its state. */
export function ListScreen<Row extends object>(props: ListScreenProps<Row>) {
  const { list, columns, keyOf, pageOf, panel } = props;
  const { tables } = useTexts();
  const { words, change } = useAddress();
  const isWide = useIsWide();
  const open = panel === undefined ? undefined : words["open"];
  const inPanel = (row: Row) => ({ to: ".", search: { ...words, open: keyOf(row) } });
  useNewRows(list, keyOf, props.title);
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
      <ListFrame list={list} filters={props.filters}>
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
            isLoading={list.isLoading}
            hasMore={list.hasMore}
            onEnd={list.readMore}
            empty={<NoRows {...props} />}
          />
          {open !== undefined &&
            panel?.({
              id: open,
              row: list.rows.find((row) => keyOf(row) === open),
              onClose: () => change({ open: undefined }),
              onStep: step,
            })}
        </div>
      </ListFrame>
    </>
  );
}

/** Nothing there yet, or nothing that the filters let through: then they can be taken away. */
function NoRows<Row extends object>({ narrowing, empty, noneText }: ListScreenProps<Row>) {
  const { tables } = useTexts();
  const { words, change } = useAddress();
  const isNarrowed = Object.entries(narrowing).some(([word, none]) => words[word] !== none);
  if (!isNarrowed) {
    return (
      <Empty title={empty.title} {...(empty.text === undefined ? {} : { text: empty.text })}>
        {empty.action}
      </Empty>
    );
  }
  return (
    <Empty title={tables.noneMatch} {...(noneText === undefined ? {} : { text: noneText })}>
      <Button className="button" onPress={() => change(narrowing)}>
        {tables.clearFilters}
      </Button>
    </Empty>
  );
}
