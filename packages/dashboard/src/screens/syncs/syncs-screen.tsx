import { useMemo } from "react";
import { type ListedSync, syncsQuery } from "../../data/syncs.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import {
  choicesOf,
  IntegrationFilter,
  WordFilter,
  WordSearch,
} from "../../parts/list/word-filters.tsx";
import { curlOf, fetchOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { operationsOf, syncColumns } from "./sync-columns.tsx";
import { SyncDrawer } from "./sync-drawer.tsx";

/** Syncs of all connections of the environment. */
export function SyncsScreen() {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { state, integration, connection, name } = useAddress().words;
  const filter = { state, provider_config_key: integration, connection_id: connection, name };
  return (
    <ListScreen
      id="syncs"
      title={texts.title}
      columns={useMemo(() => syncColumns(texts), [texts])}
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
        </>
      }
      narrowing={{
        state: undefined,
        integration: undefined,
        connection: undefined,
        name: undefined,
      }}
      examples={[
        curlOf("listSyncs", environment, { query: Object(filter) }),
        fetchOf("listSyncs", environment, { query: Object(filter) }),
      ]}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function keyOf({ id }: ListedSync): string {
  return id;
}
