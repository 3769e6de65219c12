import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Button } from "react-aria-components/Button";
import {
  type Connection,
  type ConnectionFilter,
  connectionCountsQuery,
  connectionsQuery,
} from "../../data/connections.ts";
import { integrationsQuery } from "../../data/integrations.ts";
import { Badge } from "../../parts/badge.tsx";
import { SearchBox } from "../../parts/filters/search-box.tsx";
import { SingleFilter } from "../../parts/filters/single-filter.tsx";
import { formatNumber, formatShortDay, plainText, shortenId } from "../../parts/formats.ts";
import { CodeButton, cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { ColumnChooser } from "../../parts/table/column-chooser.tsx";
import { type Column, DataTable } from "../../parts/table/data-table.tsx";
import { ListFrame } from "../../parts/table/list-frame.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { customerOf, pageOf, toneOf } from "./connection-words.ts";
import { NewConnectionButton } from "./new-connection-button.tsx";

const TABLE = "connections";
const noFilter = { state: undefined, integration: undefined, q: undefined, sort: undefined };

/** Connections of the environment with the state of their credentials. */
export function ConnectionsScreen() {
  const { connections: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const { state, integration, q, sort } = words;
  const filter = useMemo<ConnectionFilter>(
    () => ({ state, integrationId: integration, search: q, sort }),
    [state, integration, q, sort],
  );
  const list = useInfiniteQuery({
    ...connectionsQuery(environment, filter),
    placeholderData: (before) => before,
  });
  const { data: counts } = useQuery(connectionCountsQuery(environment));
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const rows = useMemo(
    () => list.data?.pages.flatMap(({ connections }) => connections) ?? [],
    [list.data],
  );
  const columns = useMemo(() => columnsOf(texts), [texts]);
  const { fetchNextPage, isFetchingNextPage } = list;
  const readMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const isFiltered = [state, integration, q].some((word) => word !== undefined);
  return (
    <>
      <ScreenHead title={texts.title}>
        <CodeButton examples={examplesOf(environment, filter)} />
        <ColumnChooser id={TABLE} columns={columns} />
        <NewConnectionButton integrations={integrations} />
      </ScreenHead>
      <ListFrame
        list={list}
        count={rows.length}
        filters={
          <>
            <SearchBox
              label={texts.searchLabel}
              value={q ?? ""}
              onSearch={(text) => change({ q: text })}
            />
            <SingleFilter
              label={texts.state}
              chosen={state}
              choices={Object.entries(texts.states).map(([id, text]) => ({
                id,
                text: counts === undefined ? text : `${text} (${countOf(counts.by_state, id)})`,
              }))}
              onChange={(chosen) => change({ state: chosen })}
            />
            <SingleFilter
              label={texts.integration}
              chosen={integration}
              choices={integrations.map(({ unique_key: id }) => ({ id, text: id }))}
              onChange={(chosen) => change({ integration: chosen })}
            />
            <SingleFilter
              label={texts.sort}
              chosen={sort}
              choices={Object.entries(texts.sorts).map(([id, text]) => ({ id, text }))}
              onChange={(chosen) => change({ sort: chosen })}
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
            targetOf={(row) => pageOf(environment, row)}
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
        </div>
      </ListFrame>
    </>
  );
}

function keyOf({ id }: Connection): string {
  return String(id);
}

function countOf(counts: Readonly<Record<string, number>>, state: string): string {
  return formatNumber(counts[state] ?? 0);
}

function columnsOf(texts: Texts["connections"]): readonly Column<Connection>[] {
  const day = (at: string | null | undefined) =>
    at === null || at === undefined ? (
      ""
    ) : (
      <time dateTime={at} title={at}>
        {formatShortDay(at)}
      </time>
    );
  return [
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(186px, 1.4fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 22))}
        </span>
      ),
    },
    {
      id: "customer",
      header: texts.customer,
      width: "minmax(110px, 1.4fr)",
      cell: (row) => plainText(customerOf(row)),
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(90px, 0.8fr)",
      cell: ({ provider_config_key: key }) => plainText(key),
    },
    {
      id: "state",
      header: texts.state,
      width: "184px",
      cell: (row) => <ConnectionBadge connection={row} texts={texts} />,
    },
    {
      id: "account",
      header: texts.account,
      width: "minmax(120px, 0.8fr)",
      cell: ({ health }) => plainText(health?.account_identity ?? ""),
    },
    {
      id: "expires",
      header: texts.expires,
      width: "124px",
      cell: ({ health }) => day(health?.expires_at),
    },
    {
      id: "used",
      header: texts.lastUsed,
      width: "124px",
      cell: ({ last_fetched_at: at }) => day(at),
    },
    { id: "created", header: texts.created, width: "124px", cell: (row) => day(row.created_at) },
  ];
}

/** The state of the credentials, unless they work and a sync does not. */
export function ConnectionBadge({
  connection,
  texts,
}: {
  connection: Connection;
  texts: Texts["connections"];
}) {
  const state = connection.health?.state ?? "ok";
  const hasFailingSync = connection.errors.some(({ type }) => type === "sync");
  if (state === "ok" && hasFailingSync) return <Badge tone="bad">{texts.syncFails}</Badge>;
  return <Badge tone={toneOf(state)}>{texts.states[state]}</Badge>;
}

function examplesOf(environment: string, filter: ConnectionFilter) {
  const given = Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  );
  const query = { ...given, include: "health" };
  const { integrationId, search } = filter;
  const options = Object.entries({ integration: integrationId, search }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quote(value)],
  );
  return [
    curlOf("listConnections", environment, { query: Object(query) }),
    nodeOf(environment, "listConnections()"),
    cliOf(["connections", ...options, "--environment", quote(environment)].join(" ")),
  ];
}
