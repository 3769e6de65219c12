import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Button } from "react-aria-components/Button";
import { integrationsQuery } from "../../data/integrations.ts";
import { type ListedSync, type SyncFilter, syncsQuery } from "../../data/syncs.ts";
import { SearchBox } from "../../parts/filters/search-box.tsx";
import { SingleFilter } from "../../parts/filters/single-filter.tsx";
import { CodeButton, curlOf, fetchOf } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { ColumnChooser } from "../../parts/table/column-chooser.tsx";
import { DataTable } from "../../parts/table/data-table.tsx";
import { ListFrame } from "../../parts/table/list-frame.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useIsWide } from "../../parts/use-is-wide.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { operationsOf, syncColumns } from "./sync-columns.tsx";
import { SyncDrawer } from "./sync-drawer.tsx";

const TABLE = "syncs";

/** Syncs of all connections of the environment. */
export function SyncsScreen() {
  const { syncs: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const isWide = useIsWide();
  const { state, integration, connection, name, open } = words;
  const filter = useMemo<SyncFilter>(
    () => ({ state, provider_config_key: integration, connection_id: connection, name }),
    [state, integration, connection, name],
  );
  const list = useInfiniteQuery({
    ...syncsQuery(environment, filter),
    placeholderData: (before) => before,
  });
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const columns = useMemo(() => syncColumns(texts), [texts]);
  const { fetchNextPage, isFetchingNextPage } = list;
  const readMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const opened = rows.find(({ id }) => id === open);
  const step = (by: 1 | -1) => {
    const next = rows[rows.findIndex(({ id }) => id === open) + by];
    if (next !== undefined) change({ open: next.id }, { replace: true });
  };
  const isFiltered = Object.values(filter).some((word) => word !== undefined);
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton
          examples={[
            curlOf("listSyncs", environment, { query: Object(filter) }),
            fetchOf("listSyncs", environment, { query: Object(filter) }),
          ]}
        />
        <ColumnChooser id={TABLE} columns={columns} />
        <Button className="button" onPress={() => void list.refetch()}>
          {tables.refresh}
        </Button>
      </ScreenHead>
      <ListFrame
        list={list}
        count={rows.length}
        filters={
          <>
            <SearchBox
              label={texts.searchLabel}
              value={connection ?? ""}
              onSearch={(text) => change({ connection: text })}
            />
            <SingleFilter
              label={texts.state}
              chosen={state}
              choices={Object.entries(texts.states).map(([id, text]) => ({ id, text }))}
              onChange={(chosen) => change({ state: chosen })}
            />
            <SingleFilter
              label={texts.integration}
              chosen={integration}
              choices={integrations.map(({ unique_key: id }) => ({ id, text: id }))}
              onChange={(chosen) => change({ integration: chosen })}
            />
          </>
        }
      >
        <div className="split">
          <DataTable
            id={TABLE}
            label={texts.title}
            columns={columns}
            rows={rows}
            keyOf={keyOf}
            targetOf={(row) =>
              isWide
                ? { to: ".", search: { ...words, open: row.id } }
                : operationsOf(environment, row)
            }
            openKey={open}
            isLoading={list.isLoading}
            hasMore={list.hasNextPage}
            onEnd={readMore}
            empty={
              isFiltered ? (
                <Empty title={tables.noneMatch}>
                  <Button className="button" onPress={() => change(noFilter)}>
                    {tables.clearFilters}
                  </Button>
                </Empty>
              ) : (
                <Empty title={texts.emptyTitle} text={texts.emptyText} />
              )
            }
          />
          {opened !== undefined && (
            <SyncDrawer
              key={opened.id}
              sync={opened}
              onClose={() => change({ open: undefined })}
              onStep={step}
            />
          )}
        </div>
      </ListFrame>
    </>
  );
}

const noFilter = {
  state: undefined,
  integration: undefined,
  connection: undefined,
  name: undefined,
};

function keyOf({ id }: ListedSync): string {
  return id;
}
