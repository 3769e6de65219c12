import { useMemo } from "react";
import type { LatestRun, ListedSync } from "../../data/syncs.ts";
import { formatNumber, plainText, shortenId } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import type { Rows } from "../../parts/list/rows.ts";
import type { Column } from "../../parts/table/column.ts";
import { useAddress } from "../../parts/use-address.ts";
import type { Texts } from "../../texts/english.ts";
import { syncMatrixTexts } from "../../texts/syncs/sync-matrix.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { RunMarks } from "./run-marks.tsx";
import { nameOf } from "./sync-columns.tsx";

/** A connection with its syncs, by the names of their columns. */
export interface MatrixRow {
  readonly syncs: readonly ListedSync[];
  readonly byColumn: ReadonlyMap<string, ListedSync>;
}

export const MOST_COLUMNS = 24;

function columnOf(sync: ListedSync): string {
  return `${sync.provider_config_key}/${nameOf(sync)}`;
}

/** Rows of syncs that follow each other by connection, as rows of connections. */
export function useMatrixRows(list: Rows<ListedSync>): Rows<MatrixRow> {
  const rows = useMemo(() => toMatrix(list.rows), [list.rows]);
  const { readFirst } = list;
  const readFirstRows =
    readFirst && (async (signal: AbortSignal) => toMatrix(await readFirst(signal)));
  return { ...list, rows, readFirst: readFirstRows };
}

function toMatrix(syncs: readonly ListedSync[]): MatrixRow[] {
  const placeOf = (sync: ListedSync) => `${sync.provider_config_key} ${sync.connection_id}`;
  return [...Map.groupBy(syncs, placeOf).values()].map((own) => ({
    syncs: own,
    byColumn: new Map(own.map((sync) => [columnOf(sync), sync])),
  }));
}

/** The first of a connection's syncs, whose panel its row opens. */
export function keyOfRow({ syncs: [first] }: MatrixRow): string {
  return first?.id ?? "";
}

/** A column for each sync of the rows; with its integration where there are several. */
export function useMatrixColumns(
  rows: readonly MatrixRow[],
  texts: Texts["syncs"],
): { readonly columns: readonly Column<MatrixRow>[]; readonly all: number } {
  const names = JSON.stringify(
    [...new Set(rows.flatMap(({ syncs }) => syncs.map(columnOf)))].sort(),
  );
  return useMemo(() => {
    const all: string[] = JSON.parse(names);
    const isOfOne = new Set(all.map((name) => name.split("/")[0])).size < 2;
    const columns = all.slice(0, MOST_COLUMNS).map((name) => ({
      id: name,
      header: plainText(isOfOne ? name.slice(name.indexOf("/") + 1) : name, 60),
      width: "minmax(246px, 1fr)",
      cell: ({ byColumn }: MatrixRow) => <MatrixCell sync={byColumn.get(name)} />,
    }));
    return { columns: [connectionColumn(texts), ...columns], all: all.length };
  }, [names, texts]);
}

function connectionColumn(texts: Texts["syncs"]): Column<MatrixRow> {
  return {
    id: "connection",
    header: texts.connection,
    width: "minmax(150px, 1fr)",
    cell: ({ syncs: [first] }) => {
      const id = first?.connection_id ?? "";
      return (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 18))}
        </span>
      );
    },
  };
}

/** The latest runs of one sync of a connection; opens its panel. */
function MatrixCell({ sync }: { sync: ListedSync | undefined }) {
  const { syncs: texts } = useTexts();
  const words = useTextsOf(syncMatrixTexts);
  const { words: address } = useAddress();
  if (sync === undefined) return null;
  const runs = sync.latest_runs ?? [];
  const label = words.cell(
    plainText(nameOf(sync)),
    plainText(sync.connection_id, 60),
    texts.states[sync.state],
    runs.length === 0
      ? words.noRuns
      : words.runs(formatNumber(runs.length), countStates(runs, texts)),
  );
  return (
    <Go
      className="marks"
      target={{ to: ".", search: { ...address, open: sync.id } }}
      aria-label={label}
      title={label}
    >
      <RunMarks runs={runs} />
    </Go>
  );
}

/** `18 success, 2 failed` */
function countStates(runs: readonly LatestRun[], texts: Texts["syncs"]): string {
  return [...Map.groupBy(runs, ({ state }) => state)]
    .map(([state, those]) => `${formatNumber(those.length)} ${texts.runStates[state]}`)
    .join(", ");
}
