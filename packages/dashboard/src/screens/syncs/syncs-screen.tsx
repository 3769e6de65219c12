import { useMemo } from "react";
import { type ListedSync, syncsQuery } from "../../data/syncs.ts";
import { SingleSelect } from "../../parts/filters/single-select.tsx";
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
import { useTexts } from "../../texts/use-texts.ts";
import { BulkSyncs, bulkFilterOf } from "./bulk-syncs.tsx";
import { matrixColumns, operationsOf, syncColumns } from "./sync-columns.tsx";
import { SyncDrawer } from "./sync-drawer.tsx";

/** Syncs of all connections of the environment. */
export function SyncsScreen() {
  const { syncs: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const { state, integration, connection, name } = words;
  const isMatrix = words["view"] === "matrix";
  const filter = {
    ...{ state, provider_config_key: integration, connection_id: connection, name },
    include: isMatrix ? ("runs" as const) : undefined,
  };
  return (
    <ListScreen
      id={isMatrix ? "sync-runs" : "syncs"}
      title={texts.title}
      columns={useMemo(
        () => (isMatrix ? matrixColumns(texts) : syncColumns(texts)),
        [texts, isMatrix],
      )}
      list={usePagedRows(syncsQuery(environment, filter))}
      keyOf={keyOf}
      pageOf={(row) => operationsOf(environment, row)}
      panel={({ row, ...open }) =>
        row !== undefined && <SyncDrawer key={row.id} sync={row} {...open} />
      }
      filters={
        <>
          <WordSearch word="connection" label={texts.searchLabel} />
          <WordFilter word="state" label={texts.state} choices={choicesOf(texts.states)} />
          <IntegrationFilter />
          <SingleSelect
            label={texts.views}
            chosen={isMatrix ? "matrix" : "list"}
            choices={choicesOf({ list: texts.list, matrix: texts.matrix })}
            onChange={(view) => change({ view: view === "matrix" ? view : undefined })}
          />
        </>
      }
      values={{ state: texts.states }}
      narrowing={{
        state: texts.state,
        integration: tables.integration,
        connection: texts.connection,
        name: texts.sync,
      }}
      bulk={(chosen) => <BulkSyncs chosen={chosen} filter={filter} />}
      all={{
        wish: { action: "syncs:trigger", filter: bulkFilterOf(filter) },
        scope: "environment:syncs:execute",
      }}
      examples={[
        curlOf("listSyncs", environment, { query: Object(filter) }),
        nodeOf(environment, `syncs.list(${JSON.stringify(filter)})`),
      ]}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        code: [cliOf(`deploy ${quote(environment)}`)],
      }}
    />
  );
}

function keyOf({ id }: ListedSync): string {
  return id;
}
