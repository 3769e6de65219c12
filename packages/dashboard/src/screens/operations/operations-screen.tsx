import { useMemo } from "react";
import { type Operation, type OperationFilter, operationsQuery } from "../../data/operations.ts";
import { queryClient } from "../../data/query-client.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { PeriodFilter, periodOf, WordSearch, wordsOf } from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeCall, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { type SearchWords, useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { operationColumns } from "./operation-columns.tsx";
import { OperationDrawer } from "./operation-drawer.tsx";
import { isSpan, isStatus, OperationFilters } from "./operation-filters.tsx";
import { OperationHistogram } from "./operation-histogram.tsx";
import { pageOf } from "./operation-words.ts";

/** The first page of the list. */
export function beginOperations(environment: string, words: SearchWords): void {
  const query = operationsQuery(environment, filterOf(words), periodOf(words, "24h"));
  void queryClient.prefetchInfiniteQuery(query);
}

/** Operations of the environment, newest first, with the open one next to them. */
export function OperationsScreen() {
  const { operations: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const period = periodOf(words, "24h");
  const filter = filterOf(words);
  return (
    <ListScreen
      id="operations"
      title={texts.title}
      columns={useMemo(() => operationColumns(texts), [texts])}
      list={usePagedRows(operationsQuery(environment, filter, period))}
      keyOf={keyOf}
      pageOf={({ id }) => pageOf(environment, id)}
      panel={({ id, row, ...open }) => <OperationDrawer key={id} id={id} known={row} {...open} />}
      filters={
        <>
          <WordSearch label={texts.searchLabel} />
          <PeriodFilter byDefault="24h" />
          <OperationFilters environment={environment} words={words} onChange={change} />
        </>
      }
      above={
        <div className="histogram">
          <OperationHistogram
            filter={filter}
            period={period}
            onZoom={(chosen) => change(wordsOf(chosen))}
          />
        </div>
      }
      values={{
        states: texts.states,
        types: texts.types,
        statuses: isStatus,
        slow: isSpan,
        fast: isSpan,
      }}
      narrowing={narrowingOf(texts, tables.search)}
      period={period}
      examples={examplesOf(environment, filter)}
      empty={{ title: texts.emptyTitle, text: texts.emptyText, code: firstCall(environment) }}
    />
  );
}

function narrowingOf(texts: Texts["operations"], search: string) {
  return {
    states: texts.state,
    types: texts.type,
    integrations: texts.integration,
    connections: texts.connection,
    functions: texts.function,
    actors: texts.causedBy,
    statuses: texts.statusCode,
    slow: [texts.slow, texts.slowFrom] as const,
    fast: [texts.fast, texts.slowFrom] as const,
    q: search,
  };
}

function keyOf({ id }: Operation): string {
  return id;
}

function filterOf(words: SearchWords): OperationFilter {
  const { states, types, integrations, connections, functions, actors, q } = words;
  const { statuses: status_codes, slow: min_duration_ms, fast: max_duration_ms } = words;
  const facts = { status_codes, min_duration_ms, max_duration_ms };
  return { states, types, integrations, connections, functions, actors, search: q, ...facts };
}

function examplesOf(environment: string, filter: OperationFilter) {
  const query = Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  );
  return [
    curlOf("listOperations", environment, { query: Object(query) }),
    nodeOf(environment, `operations.list(${JSON.stringify(query)})`),
    cliOf(["logs", ...cliOptions(filter), "--environment", quote(environment)].join(" ")),
  ];
}

function cliOptions({ states, integrations, connections, functions, ...filter }: OperationFilter) {
  const options = { state: states, integration: integrations, connection: connections };
  const { search, min_duration_ms: least, max_duration_ms: most } = filter;
  const spans = { "min-duration": least, "max-duration": most };
  return Object.entries({ ...options, function: functions, search, ...spans }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`--${name}`, quote(value)]),
  );
}

/** A call to a provider, which is logged. */
function firstCall(environment: string) {
  const place = { provider_config_key: "github", connection_id: "user-1" };
  const call = { ...place, method: "GET", path: "/user" } as const;
  return [
    curlOf("sendProxyRequest", environment, { body: call }),
    nodeCall(environment, "sendProxyRequest", call),
  ];
}
