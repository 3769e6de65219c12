import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { functionTimesQuery, keyOfFunction } from "../../data/functions/function-times.ts";
import { functionListQuery, type ListedFunction } from "../../data/functions/functions.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, formatShare, formatSpan, plainText } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import {
  choicesOf,
  IntegrationFilter,
  WordFilter,
  WordSearch,
} from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useHasRoom } from "../../parts/use-is-wide.ts";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { nameOf, pageOf } from "./function-words.ts";

/** Functions of all integrations, with how they ran lately. */
export function FunctionsScreen() {
  const { functions: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { q, type, integration } = useAddress().words;
  const filter = { provider_config_key: integration, type, search: q };
  const list = usePagedRows(functionListQuery(environment, filter));
  const hasRoom = useHasRoom();
  const mayReadTimes = useMay("environment:logs:read") && hasRoom;
  const ran = list.rows.filter(({ runs_24h: count }) => count > 0).map(nameOf);
  const { data: times } = useQuery(functionTimesQuery(environment, mayReadTimes ? ran : noneRan));
  return (
    <ListScreen
      id="functions"
      title={texts.title}
      columns={useMemo(
        () => columnsOf(texts, hasRoom ? timeColumn(texts, times) : []),
        [texts, times, hasRoom],
      )}
      list={list}
      keyOf={keyOf}
      pageOf={(row) => pageOf(environment, nameOf(row))}
      filters={
        <>
          <WordSearch label={texts.searchLabel} />
          <WordFilter word="type" label={texts.type} choices={choicesOf(texts.types)} />
          <IntegrationFilter />
        </>
      }
      values={{ type: texts.types }}
      narrowing={{ q: tables.search, type: texts.type, integration: tables.integration }}
      examples={[
        curlOf("listEnvironmentFunctions", environment, { query: Object(filter) }),
        nodeOf(environment, `functions.listAll(${JSON.stringify(filter)})`),
      ]}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        code: [cliOf(`deploy ${quote(environment)}`)],
      }}
    />
  );
}

const noneRan: readonly never[] = [];

function keyOf({ id }: ListedFunction): string {
  return String(id);
}

function columnsOf(
  texts: Texts["functions"],
  more: readonly Column<ListedFunction>[],
): readonly Column<ListedFunction>[] {
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(134px, 2fr)",
      cell: ({ name }) => <span className="mono">{plainText(name)}</span>,
    },
    { id: "type", header: texts.type, width: "70px", cell: ({ type }) => texts.types[type] },
    {
      id: "integration",
      header: texts.integration,
      width: "minmax(96px, 1fr)",
      cell: ({ provider_config_key: key }) => plainText(key),
    },
    {
      id: "state",
      header: texts.state,
      width: "108px",
      cell: ({ enabled }) => (
        <Badge tone={enabled ? "good" : "idle"}>{enabled ? texts.enabled : texts.disabled}</Badge>
      ),
    },
    {
      id: "last",
      header: texts.lastRun,
      width: "214px",
      cell: ({ last_run: run }) =>
        run === null ? (
          ""
        ) : (
          <>
            <Badge tone={run.succeeded ? "good" : "bad"}>
              {run.succeeded ? texts.succeeded : texts.failed}
            </Badge>{" "}
            <Time at={run.at} isShort />
          </>
        ),
    },
    {
      id: "runs",
      header: texts.runs,
      width: "94px",
      isNumber: true,
      cell: ({ runs_24h: count }) => formatNumber(count),
    },
    {
      id: "failures",
      header: texts.failures,
      width: "106px",
      isNumber: true,
      cell: ({ failures_24h: count, runs_24h: all }) =>
        count === 0 ? "0" : `${formatShare(count / all)} (${formatNumber(count)})`,
    },
    ...more,
    {
      id: "version",
      header: texts.version,
      width: "76px",
      cell: ({ version }) => <span className="mono">{plainText(version)}</span>,
    },
    {
      id: "deployed",
      header: texts.deployed,
      width: "132px",
      cell: ({ last_deployed: at }) => <Time at={at} isShort />,
    },
  ];
}

/** How long runs take, where the list has room for it. */
function timeColumn(
  texts: Texts["functions"],
  times: ReadonlyMap<string, number> | undefined,
): readonly Column<ListedFunction>[] {
  return [
    {
      id: "took",
      header: texts.took,
      width: "84px",
      isNumber: true,
      cell: (row) => {
        const p95 = times?.get(keyOfFunction(nameOf(row)));
        return p95 === undefined ? "" : formatSpan(p95);
      },
    },
  ];
}
