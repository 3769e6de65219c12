import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  type Connection,
  type ConnectionFilter,
  connectionCountsQuery,
  connectionsQuery,
  isSpan,
  queryOfConnections,
} from "../../data/connections.ts";
import { integrationsQuery } from "../../data/integrations.ts";
import { Badge } from "../../parts/badge.tsx";
import {
  formatDate,
  formatNumber,
  formatShortDay,
  plainText,
  shortenId,
} from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import {
  choicesOf,
  IntegrationFilter,
  WordFilter,
  WordSearch,
  WordSelect,
} from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { BulkConnections } from "./bulk-connections.tsx";
import { accountOf, customerOf, pageOf, toneOf } from "./connection-words.ts";
import { NewConnectionButton } from "./new/new-connection-button.tsx";

/** Connections of the environment with the state of their credentials. */
export function ConnectionsScreen() {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { state, integration: integrationId, q: search, ...words } = useAddress().words;
  const { sort, expiring, unused } = words;
  const filter = { state, integrationId, search, sort, expiring, unused };
  const isExpiring = expiring !== undefined;
  const isByTime = isExpiring || unused !== undefined;
  const { data: counts } = useQuery(connectionCountsQuery(environment));
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const states = choicesOf(texts.states).map(({ id, text }) => ({
    id,
    text: counts === undefined ? text : `${text} (${countOf(counts.by_state, id)})`,
  }));
  return (
    <ListScreen
      id="connections"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts, isExpiring), [texts, isExpiring])}
      list={usePagedRows(connectionsQuery(environment, filter))}
      keyOf={keyOf}
      pageOf={(row) => pageOf(environment, row)}
      filters={
        <>
          <WordSearch label={texts.searchLabel} />
          <WordFilter word="state" label={texts.state} choices={states} />
          <IntegrationFilter />
          <WordFilter
            word="expiring"
            label={texts.expiring}
            choices={choicesOf(texts.expiringWithin)}
          />
          <WordFilter word="unused" label={texts.unused} choices={choicesOf(texts.unusedFor)} />
          {isByTime ? (
            <span className="soft">{`${texts.sort}: ${isExpiring ? texts.sortedByExpiry : texts.sorts.last_used_at}`}</span>
          ) : (
            <WordSelect
              word="sort"
              label={texts.sort}
              choices={choicesOf(texts.sorts)}
              byDefault="created_at"
            />
          )}
        </>
      }
      values={{ state: texts.states, sort: texts.sorts, expiring: isSpan, unused: isSpan }}
      narrowing={{
        ...{ state: undefined, integration: undefined, q: undefined },
        ...{ expiring: undefined, unused: undefined },
      }}
      {...(expiring === undefined ? {} : { noneText: texts.noneExpiring })}
      bulk={(chosen) => <BulkConnections chosen={chosen} filter={filter} />}
      takesAll
      examples={examplesOf(environment, filter)}
      actions={<NewConnectionButton integrations={integrations} />}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function keyOf({ id }: Connection): string {
  return String(id);
}

function countOf(counts: Readonly<Record<string, number>>, state: string): string {
  return formatNumber(counts[state] ?? 0);
}

function columnsOf(
  texts: Texts["connections"],
  isExpiring: boolean,
): readonly Column<Connection>[] {
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
      width: "minmax(150px, 1.3fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 17))}
        </span>
      ),
    },
    {
      id: "state",
      header: texts.state,
      width: "196px",
      cell: (row) => <ConnectionBadge connection={row} texts={texts} />,
    },
    {
      id: "customer",
      header: texts.customer,
      width: "minmax(116px, 1.5fr)",
      cell: (row) => plainText(customerOf(row)),
    },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(96px, 1fr)",
      cell: ({ provider_config_key: key }) => plainText(key),
    },
    {
      id: "account",
      header: texts.account,
      width: "minmax(98px, 0.8fr)",
      cell: (row) => plainText(accountOf(row)),
    },
    {
      id: "expires",
      header: isExpiring ? texts.reauthorizeBy : texts.expires,
      width: "112px",
      cell: ({ health }) => day(isExpiring ? health?.reauthorize_by : health?.expires_at),
    },
    {
      id: "used",
      header: texts.lastUsed,
      width: "112px",
      cell: ({ health: { last_used_on: on } = {} }) =>
        on !== undefined && <time dateTime={on}>{formatDate(on)}</time>,
    },
    { id: "created", header: texts.created, width: "112px", cell: (row) => day(row.created_at) },
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
  if (connection.frozen_by !== null) return <Badge tone="bad">{texts.frozen}</Badge>;
  if (state === "ok" && hasFailingSync) return <Badge tone="bad">{texts.syncFails}</Badge>;
  if (connection.health?.failure?.next === "operator") {
    return <Badge tone="bad">{texts.integrationRefused}</Badge>;
  }
  return <Badge tone={toneOf(state)}>{texts.states[state]}</Badge>;
}

function examplesOf(environment: string, filter: ConnectionFilter) {
  const given = Object.fromEntries(
    Object.entries(queryOfConnections(filter)).filter(([, value]) => value !== undefined),
  );
  const query = { ...given, include: "health" };
  const { integrationId, search, state, expiring, unused } = filter;
  const times = { "expiring-within": expiring, "unused-for": unused };
  const options = Object.entries({ integration: integrationId, search, state, ...times }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`--${name}`, quote(value)]),
  );
  return [
    curlOf("listConnections", environment, { query: Object(query) }),
    nodeOf(environment, `connections.list(${JSON.stringify(query)})`),
    cliOf(["connections", ...options, "--environment", quote(environment)].join(" ")),
  ];
}
