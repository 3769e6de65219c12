import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AgentSession, sessionsQuery } from "../../data/agents/agent-sessions.ts";
import { toolsetsQuery } from "../../data/agents/toolsets.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { IntegrationFilter, WordFilter, WordSearch } from "../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { apiAddress } from "../../start/base-path.ts";
import { agentSessionTexts } from "../../texts/screens/agents/agent-sessions.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { NewSessionButton } from "./new-session.tsx";
import { sessionPage, sessionTones } from "./session-words.ts";
import { StopButton } from "./stop-button.tsx";

type OwnTexts = (typeof agentSessionTexts)["english"];

/** Sessions in which agents act, newest first. */
export function AgentSessionsScreen() {
  const texts = useTextsOf(agentSessionTexts);
  const { tables } = useTexts();
  const toolsets = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const { toolset, integration, user: end_user_id, state } = useAddress().words;
  const filter = { toolset, integration, end_user_id, state };
  const known = useInfiniteQuery(toolsetsQuery(environment, {}));
  const names = (known.data?.pages ?? []).flatMap(({ data }) => data.map(({ name }) => name));
  return (
    <ListScreen
      id="agentSessions"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts), [texts])}
      list={usePagedRows(sessionsQuery(environment, filter))}
      keyOf={({ id }) => id}
      pageOf={({ id }) => sessionPage(environment, id)}
      filters={
        <>
          <WordSearch word="user" label={texts.userSearch} />
          <WordFilter
            word="toolset"
            label={texts.toolset}
            choices={names.map((name) => ({ id: name, text: name }))}
          />
          <IntegrationFilter />
          <WordFilter
            word="state"
            label={texts.state}
            choices={[{ id: "open", text: texts.onlyOpen }]}
          />
        </>
      }
      values={{ state: { open: texts.onlyOpen } }}
      narrowing={{
        ...{ user: texts.userSearch, toolset: texts.toolset },
        ...{ integration: tables.integration, state: texts.state },
      }}
      examples={[
        curlOf("listAgentSessions", environment, { query: Object(filter) }),
        nodeOf(environment, `agentSessions.list(${JSON.stringify(filter)})`),
      ]}
      actions={
        <>
          <StopButton given={filter} />
          {toolset !== undefined && (
            <NewSessionButton toolset={toolset} endUser={end_user_id ?? ""} />
          )}
        </>
      }
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        action: (
          <a className="button" href={`${apiAddress}/docs/agents`} target="_blank" rel="noreferrer">
            {toolsets.emptyDocs}
          </a>
        ),
      }}
    />
  );
}

function columnsOf(texts: OwnTexts): readonly Column<AgentSession>[] {
  return [
    {
      id: "began",
      header: texts.began,
      width: "172px",
      cell: ({ created_at: at }) => <Time at={at} />,
    },
    {
      id: "state",
      header: texts.state,
      width: "96px",
      cell: ({ state }) => <Badge tone={sessionTones[state]}>{texts.states[state]}</Badge>,
    },
    {
      id: "endUser",
      header: texts.endUser,
      width: "minmax(130px, 1.2fr)",
      cell: ({ end_user_id: user }) => plainText(user, 60),
    },
    {
      id: "toolset",
      header: texts.toolset,
      width: "minmax(130px, 1.2fr)",
      cell: ({ toolset, toolset_version: version }) => (
        <span className="mono">
          {toolset} <span className="soft">{version}</span>
        </span>
      ),
    },
    {
      id: "calls",
      header: texts.calls,
      width: "104px",
      isNumber: true,
      cell: ({ used, budget }) =>
        budget.calls === undefined
          ? formatNumber(used.calls)
          : texts.of(formatNumber(used.calls), formatNumber(budget.calls)),
    },
    {
      id: "taint",
      header: texts.taint,
      width: "minmax(148px, 1fr)",
      cell: ({ taint }) => taint.untrusted_seen && <Badge tone="warn">{texts.tainted}</Badge>,
    },
    {
      id: "until",
      header: texts.until,
      width: "172px",
      cell: ({ expires_at: at, ended_at: endedAt }) => <Time at={endedAt ?? at} />,
    },
  ];
}
