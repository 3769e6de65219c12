import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Button } from "react-aria-components/Button";
import { type Operation, type OperationFilter, operationsQuery } from "../../data/operations.ts";
import { isRange, RangeSelect, startOf } from "../../parts/filters/range-select.tsx";
import { SearchBox } from "../../parts/filters/search-box.tsx";
import { CodeButton, cliOf, curlOf, fetchOf, quote } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { ColumnChooser } from "../../parts/table/column-chooser.tsx";
import { DataTable } from "../../parts/table/data-table.tsx";
import { ListFrame } from "../../parts/table/list-frame.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useIsWide } from "../../parts/use-is-wide.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { operationColumns } from "./operation-columns.tsx";
import { OperationDrawer } from "./operation-drawer.tsx";
import { OperationFilters } from "./operation-filters.tsx";
import { pageOf } from "./operation-words.ts";

const TABLE = "operations";

/** Operations of the environment, newest first, with the open one next to them. */
export function OperationsScreen() {
  const { operations: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const isWide = useIsWide();
  const range = isRange(words["range"]) ? words["range"] : "24h";
  const filter = useMemo(() => filterOf(words), [words]);
  const query = useInfiniteQuery({
    ...operationsQuery(environment, filter, () => startOf(range, Date.now()), range),
    placeholderData: (before) => before,
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const columns = useMemo(() => operationColumns(texts), [texts]);
  const open = words["open"];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const { fetchNextPage, isFetchingNextPage } = query;
  const readMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const step = (by: 1 | -1) => {
    const next = rows[rows.findIndex(({ id }) => id === open) + by];
    if (next !== undefined) change({ open: next.id }, { replace: true });
  };
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton examples={examplesOf(environment, filter)} />
        <ColumnChooser id={TABLE} columns={columns} />
        <Button className="button" onPress={() => void query.refetch()}>
          {tables.refresh}
        </Button>
      </ScreenHead>
      <ListFrame
        list={query}
        count={rows.length}
        filters={
          <>
            <SearchBox
              label={texts.searchLabel}
              value={words["q"] ?? ""}
              onSearch={(q) => change({ q })}
            />
            <RangeSelect range={range} onChange={(next) => change({ range: next })} />
            <OperationFilters environment={environment} words={words} onChange={change} />
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
            targetOf={({ id }) =>
              isWide ? { to: ".", search: { ...words, open: id } } : pageOf(environment, id)
            }
            openKey={open}
            isLoading={query.isLoading}
            hasMore={query.hasNextPage}
            onEnd={readMore}
            empty={
              isFiltered || range !== "all" ? (
                <Empty title={tables.noneMatch} text={tables.ranges[range]}>
                  <Button className="button" onPress={() => change({ ...noFilter, range: "all" })}>
                    {tables.clearFilters}
                  </Button>
                </Empty>
              ) : (
                <Empty title={texts.emptyTitle} text={texts.emptyText} />
              )
            }
          />
          {open !== undefined && (
            <OperationDrawer
              key={open}
              id={open}
              known={rows.find(({ id }) => id === open)}
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
  states: undefined,
  types: undefined,
  integrations: undefined,
  connections: undefined,
  functions: undefined,
  q: undefined,
};

function keyOf({ id }: Operation): string {
  return id;
}

function filterOf(words: Readonly<Record<string, string | undefined>>): OperationFilter {
  const { states, types, integrations, connections, functions, q } = words;
  return { states, types, integrations, connections, functions, search: q };
}

function examplesOf(environment: string, filter: OperationFilter) {
  const query = Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  );
  return [
    curlOf("listOperations", environment, { query: Object(query) }),
    fetchOf("listOperations", environment, { query: Object(query) }),
    cliOf(["logs", ...cliOptions(filter), "--environment", quote(environment)].join(" ")),
  ];
}

function cliOptions({ states, integrations, connections, functions, search }: OperationFilter) {
  const options = { state: states, integration: integrations, connection: connections };
  return Object.entries({ ...options, function: functions, search }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quote(value)],
  );
}
