import { useMemo } from "react";
import { type ListedSync, type SyncFilter, syncsQuery } from "../../data/syncs.ts";
import type { Chosen } from "../../parts/bulk/selection-bar.tsx";
import { SingleSelect } from "../../parts/filters/single-select.tsx";
import { formatNumber } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import {
  choicesOf,
  IntegrationFilter,
  WordFilter,
  WordSearch,
} from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { syncMatrixTexts } from "../../texts/syncs/sync-matrix.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { BulkSyncs, bulkFilterOf } from "./bulk-syncs.tsx";
import { listColumns, operationsOf, runColumns } from "./sync-columns.tsx";
import { SyncDrawer } from "./sync-drawer.tsx";
import {
  keyOfRow,
  type MatrixRow,
  MOST_COLUMNS,
  useMatrixColumns,
  useMatrixRows,
} from "./sync-matrix.tsx";

/** Syncs of all connections of the environment. */
export function SyncsScreen() {
  const { state, integration, connection, name, view } = useAddress().words;
  const filter = { state, provider_config_key: integration, connection_id: connection, name };
  return view === "matrix" ? (
    <SyncMatrix filter={{ ...filter, include: "runs", sort: "connection" }} />
  ) : (
    <SyncList filter={{ ...filter, include: view === "runs" ? "runs" : "results" }} />
  );
}

/** A row for each sync of a connection. */
function SyncList({ filter }: { filter: SyncFilter }) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const isOfRuns = filter.include === "runs";
  return (
    <ListScreen
      {...useShared(filter)}
      id={isOfRuns ? "sync-runs" : "syncs"}
      columns={useMemo(
        () => (isOfRuns ? runColumns(texts) : listColumns(texts)),
        [texts, isOfRuns],
      )}
      list={usePagedRows(syncsQuery(environment, filter))}
      keyOf={keyOf}
      pageOf={(row) => operationsOf(environment, row)}
      panel={({ row, ...open }) =>
        row !== undefined && <SyncDrawer key={row.id} sync={row} {...open} />
      }
      bulk={(chosen) => <BulkSyncs chosen={chosen} filter={filter} />}
    />
  );
}

/** A row for each connection, a column for each sync. */
function SyncMatrix({ filter }: { filter: SyncFilter }) {
  const { syncs: texts } = useTexts();
  const words = useTextsOf(syncMatrixTexts);
  const { name: environment } = useEnvironment();
  const { change } = useAddress();
  const list = useMatrixRows(usePagedRows(syncsQuery(environment, filter)));
  const { columns, all } = useMatrixColumns(list.rows, texts);
  const syncs = list.rows.flatMap((row) => row.syncs);
  const step = (from: string, by: 1 | -1) => {
    const next = syncs[syncs.findIndex(({ id }) => id === from) + by];
    if (next !== undefined) change({ open: next.id }, { replace: true });
  };
  return (
    <ListScreen
      {...useShared(filter)}
      id="sync-matrix"
      columns={columns}
      list={list}
      keyOf={keyOfRow}
      panel={({ id, onClose }) => {
        const sync = syncs.find((one) => one.id === id);
        return (
          sync !== undefined && (
            <SyncDrawer key={id} sync={sync} onClose={onClose} onStep={(by) => step(id, by)} />
          )
        );
      }}
      above={
        <p className="soft above-list">
          {words.about}{" "}
          {all > MOST_COLUMNS && words.cut(formatNumber(MOST_COLUMNS), formatNumber(all))}
        </p>
      }
      bulk={(chosen) => <BulkSyncs chosen={syncsOf(chosen)} filter={filter} />}
    />
  );
}

/** What every view of syncs has. */
function useShared(filter: SyncFilter) {
  const { syncs: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const views = { list: texts.list, runs: texts.latest, matrix: texts.matrix };
  const { view = "list" } = words;
  return {
    title: texts.title,
    filters: (
      <>
        <WordSearch word="connection" label={texts.searchLabel} />
        <WordFilter word="state" label={texts.state} choices={choicesOf(texts.states)} />
        <IntegrationFilter />
        <SingleSelect
          label={texts.views}
          chosen={Object.hasOwn(views, view) ? view : "list"}
          choices={choicesOf(views)}
          onChange={(chosen) =>
            change({ view: chosen === "list" ? undefined : chosen, open: undefined })
          }
        />
      </>
    ),
    values: { state: texts.states, view: views },
    narrowing: {
      state: texts.state,
      integration: tables.integration,
      connection: texts.connection,
      name: texts.sync,
    },
    all: {
      wish: { action: "syncs:trigger", filter: bulkFilterOf(filter) },
      scope: "environment:syncs:execute",
    } as const,
    examples: [
      curlOf("listSyncs", environment, { query: Object(filter) }),
      nodeOf(environment, `syncs.list(${JSON.stringify(filter)})`),
    ],
    empty: {
      title: texts.emptyTitle,
      text: texts.emptyText,
      code: [cliOf(`deploy ${quote(environment)}`)],
    },
  };
}

function keyOf({ id }: ListedSync): string {
  return id;
}

/** Of chosen connections, their syncs. */
function syncsOf(chosen: Chosen<MatrixRow>): Chosen<ListedSync> {
  if (chosen.kind === "all") return chosen;
  return { kind: "rows", rows: chosen.rows.flatMap(({ syncs }) => syncs) };
}
