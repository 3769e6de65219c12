import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  addressQueryOf,
  type Connection,
  type ConnectionFilter,
  connectionCountsQuery,
  connectionsQuery,
  isSpan,
  queryOfConnections,
} from "../../data/connections.ts";
import { type Integration, integrationsQuery } from "../../data/integrations.ts";
import { formatNumber } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import {
  choicesOf,
  IntegrationFilter,
  WordFilter,
  WordSearch,
  WordSelect,
} from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeCall, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { BulkConnections, bulkFilterOf } from "./bulk-connections.tsx";
import { connectionColumns } from "./connection-columns.tsx";
import {
  organizationOf,
  otherTagsOf,
  pageOf,
  tagsOfWords,
  toPairLines,
  wordOfTag,
} from "./connection-words.ts";
import { ImportButton } from "./new/import-button.tsx";
import { NewConnectionButton } from "./new/new-connection-button.tsx";
import { TagFilter } from "./tag-filter.tsx";

/** Connections of the environment with the state of their credentials. */
export function ConnectionsScreen() {
  const { connections: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { state, integration: integrationId, q: search, ...words } = useAddress().words;
  const { sort, expiring, unused } = words;
  const tags = tagsOfWords(words);
  const filter = { state, integrationId, search, tags, sort, expiring, unused };
  const list = usePagedRows(connectionsQuery(environment, filter));
  // Where no connection has any, the other columns get the room.
  const hasOrganizations = list.rows.some((row) => organizationOf(row) !== "");
  const hasTags = list.rows.some((row) => otherTagsOf(row).length > 0);
  const isExpiring = expiring !== undefined;
  const isByTime = isExpiring || unused !== undefined;
  const { data: counts } = useQuery(connectionCountsQuery(environment));
  const { data: integrations = none } = useQuery(integrationsQuery(environment));
  const states = choicesOf(texts.states).map(({ id, text }) => ({
    id,
    text: counts === undefined ? text : `${text} (${countOf(counts.by_state, id)})`,
  }));
  return (
    <ListScreen
      id="connections"
      title={texts.title}
      columns={useMemo(
        () => connectionColumns({ texts, isExpiring, integrations, hasOrganizations, hasTags }),
        [texts, isExpiring, integrations, hasOrganizations, hasTags],
      )}
      list={list}
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
          <TagFilter />
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
        ...{ state: texts.state, integration: tables.integration, q: tables.search },
        expiring: [texts.expiring, texts.expiringWithin],
        unused: [texts.unused, texts.unusedFor],
        ...Object.fromEntries(Object.keys(tags).map((name) => [wordOfTag(name), name])),
      }}
      {...(expiring === undefined ? {} : { noneText: texts.noneExpiring })}
      bulk={(chosen) => <BulkConnections chosen={chosen} filter={filter} />}
      all={{
        wish: { action: "connections:refresh", filter: bulkFilterOf(filter) },
        scope: "environment:connections:update",
      }}
      total={counts?.total}
      examples={examplesOf(environment, filter)}
      actions={
        <>
          <ImportButton />
          <NewConnectionButton integrations={integrations} />
        </>
      }
      empty={{ title: texts.emptyTitle, text: texts.emptyText, code: firstCode(environment) }}
    />
  );
}

const none: readonly Integration[] = [];

function keyOf({ id }: Connection): string {
  return String(id);
}

function countOf(counts: Readonly<Record<string, number>>, state: string): string {
  return formatNumber(counts[state] ?? 0);
}

function examplesOf(environment: string, filter: ConnectionFilter) {
  const given = Object.fromEntries(
    Object.entries(queryOfConnections(filter)).filter(([, value]) => value !== undefined),
  );
  const query = { ...addressQueryOf(filter), include: "health" };
  const { integrationId, search, state, expiring, unused, tags = {} } = filter;
  const times = { "expiring-within": expiring, "unused-for": unused };
  const options = Object.entries({ integration: integrationId, search, state, ...times }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`--${name}`, quote(value)]),
  );
  const tagOptions = toPairLines(tags).flatMap((tag) => ["--tag", quote(tag)]);
  return [
    curlOf("listConnections", environment, { query: Object(query) }),
    nodeOf(environment, `connections.list(${JSON.stringify({ ...given, include: "health" })})`),
    cliOf(
      ["connections", ...options, ...tagOptions, "--environment", quote(environment)].join(" "),
    ),
  ];
}

/** A link by which a first end user connects. */
function firstCode(environment: string) {
  const body = { tags: { end_user_id: "user-1" } };
  return [
    curlOf("createConnectLink", environment, { body }),
    nodeCall(environment, "connectLinks.create", body),
    cliOf(`links create --end-user user-1 --environment ${quote(environment)}`),
  ];
}
