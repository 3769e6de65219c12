import { useMemo } from "react";
import { agentCallsQuery } from "../../data/environment/agent-calls.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { WordFilter, WordSearch } from "../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { apiAddress } from "../../start/base-path.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { agentCallColumns, keyOf } from "./agent-call-columns.tsx";
import { AgentCallDrawer } from "./agent-call-drawer.tsx";

/** What agents have called, newest first: all, of a session, or of one script. */
export function AgentCallsScreen() {
  const { agentCalls: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const { session, script, user: end_user_id } = words;
  const filter = { session_id: session, parent_id: script, end_user_id };
  return (
    <ListScreen
      id="agentCalls"
      title={texts.title}
      columns={useMemo(() => agentCallColumns(texts), [texts])}
      list={usePagedRows(agentCallsQuery(environment, filter))}
      keyOf={keyOf}
      panel={({ row, id, ...open }) =>
        row !== undefined && <AgentCallDrawer key={id} call={row} {...open} />
      }
      filters={
        <>
          <WordSearch word="user" label={texts.userSearch} />
          {session !== undefined && (
            <WordFilter
              word="session"
              label={texts.session}
              choices={[{ id: session, text: session }]}
            />
          )}
          {script !== undefined && (
            <WordFilter
              word="script"
              label={texts.script}
              choices={[{ id: script, text: script }]}
            />
          )}
        </>
      }
      narrowing={{ user: texts.userSearch, session: texts.session, script: texts.script }}
      examples={[
        curlOf("listAgentCalls", environment, { query: Object(filter) }),
        nodeOf(environment, `agent.listCalls(${JSON.stringify(filter)})`),
      ]}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        action: (
          <a className="button" href={`${apiAddress}/docs/agents`} target="_blank" rel="noreferrer">
            {texts.emptyDocs}
          </a>
        ),
      }}
    />
  );
}
