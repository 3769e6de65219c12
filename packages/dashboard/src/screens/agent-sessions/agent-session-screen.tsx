import { useQuery } from "@tanstack/react-query";
import {
  readSessionsAgain,
  sessionQuery,
  type WholeSession,
} from "../../data/agents/agent-sessions.ts";
import { budgets } from "../../data/agents/toolset-draft.ts";
import { callApi } from "../../data/api.ts";
import { agentCallsQuery } from "../../data/environment/agent-calls.ts";
import { Badge } from "../../parts/badge.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { InnerList } from "../../parts/list/inner-list.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { Card } from "../../parts/panels/card.tsx";
import { curlOf, nodeCall, nodeOf } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import type { Texts } from "../../texts/english.ts";
import { agentSessionTexts } from "../../texts/screens/agents/agent-sessions.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { keyOf, OutcomeBadge } from "../agent-calls/agent-call-columns.tsx";
import { pageOf as connectionPageOf } from "../connections/connection-words.ts";
import { toolsetPage } from "../toolsets/toolset-words.ts";
import { SESSIONS, sessionsOf, sessionTones } from "./session-words.ts";

/** One session: for whom, with which accounts, what it has used and called. */
export function AgentSessionScreen() {
  const texts = useTextsOf(agentSessionTexts);
  const { name: environment } = useEnvironment();
  const { sessionId: id = "" } = usePathValues();
  return (
    <DetailScreen
      query={useQuery(sessionQuery(environment, id))}
      title={(session) => session && texts.sessionTitle(plainText(session.end_user_id, 80))}
      goneTitle={texts.goneTitle}
      parent={{ text: texts.title, target: sessionsOf(environment, {}) }}
      badge={({ state }) => <Badge tone={sessionTones[state]}>{texts.states[state]}</Badge>}
      examples={[
        curlOf("getAgentSession", environment, { params: { sessionId: id } }),
        nodeOf(environment, `agentSessions.get(${JSON.stringify(id)})`),
        { ...curlOf("endAgentSession", environment, { params: { sessionId: id } }), name: "end" },
      ]}
      actions={(session) => session.state === "open" && <EndButton session={session} />}
    >
      {(session) => (
        <div className="columns">
          <div className="stack">
            <Budget session={session} />
            <Accounts session={session} />
            <Calls id={id} />
          </div>
          <div className="stack">
            <About session={session} />
            {Object.keys(session.policy).length > 0 && (
              <Card title={texts.narrowed}>
                <JsonView label={texts.narrowed} value={session.policy} />
              </Card>
            )}
          </div>
        </div>
      )}
    </DetailScreen>
  );
}

function EndButton({ session: { id, end_user_id: user } }: { session: WholeSession }) {
  const texts = useTextsOf(agentSessionTexts);
  const { name: environment } = useEnvironment();
  return (
    <ConfirmButton
      label={texts.end}
      scope={SESSIONS}
      text={texts.endText(plainText(user, 80))}
      confirm={texts.end}
      code={[
        curlOf("endAgentSession", environment, { params: { sessionId: id } }),
        nodeCall(environment, "agentSessions.end", id),
      ]}
      onConfirm={async () => {
        await callApi("endAgentSession", { environment, params: { sessionId: id } });
        await readSessionsAgain(environment);
      }}
    />
  );
}

function About({ session }: { session: WholeSession }) {
  const texts = useTextsOf(agentSessionTexts);
  const toolsets = useTextsOf(toolsetTexts);
  const { name: environment } = useEnvironment();
  const { taint, toolset, toolset_version: version, end_user_id: user } = session;
  const read = [
    ...(taint.private_read ? [texts.privateRead] : []),
    ...(taint.untrusted_seen ? [texts.tainted] : []),
  ];
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [
            texts.endUser,
            <Go key="user" target={sessionsOf(environment, { end_user_id: user })}>
              {plainText(user, 255)}
            </Go>,
          ],
          [
            texts.toolset,
            <span key="toolset">
              <Go target={toolsetPage(environment, toolset)}>{toolset}</Go>,{" "}
              {toolsets.versionOf(version)}
            </span>,
          ],
          [texts.began, <Time key="began" at={session.created_at} />],
          [texts.until, <Time key="until" at={session.expires_at} />],
          [texts.ended, session.ended_at !== null && <Time at={session.ended_at} />],
          [
            texts.taint,
            taint.untrusted_seen ? (
              <span key="taint" className="row">
                {read.map((each) => (
                  <Badge key={each} tone="warn">
                    {each}
                  </Badge>
                ))}
              </span>
            ) : (
              read.join(", ") || texts.nothingRead
            ),
          ],
        ]}
      />
    </Card>
  );
}

function Budget({ session: { budget, used } }: { session: WholeSession }) {
  const texts = useTextsOf(agentSessionTexts);
  const toolsets = useTextsOf(toolsetTexts);
  const counted: Readonly<Record<string, number>> = used;
  const rows = budgets
    .map((key) => ({ key, used: counted[key], most: budget[key] }))
    .filter((row) => row.used !== undefined || row.most !== undefined);
  return (
    <Card title={texts.budget}>
      <PlainTable
        label={texts.budget}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { header: texts.budget, cell: ({ key }) => toolsets.budgets[key] },
          {
            header: texts.used,
            isNumber: true,
            cell: (row) => row.used !== undefined && formatNumber(row.used),
          },
          {
            header: texts.limit,
            isNumber: true,
            cell: ({ most }) => (most === undefined ? texts.noLimit : formatNumber(most)),
          },
        ]}
      />
    </Card>
  );
}

function Accounts({ session: { accounts, state } }: { session: WholeSession }) {
  const texts = useTextsOf(agentSessionTexts);
  const { name: environment } = useEnvironment();
  return (
    <Card title={texts.accounts}>
      {accounts.length === 0 ? (
        <Empty title={state === "open" ? texts.noAccounts : texts.closedAccounts} />
      ) : (
        <PlainTable
          label={texts.accounts}
          rows={accounts}
          keyOf={({ integration, connection_id: id }) => `${integration} ${id}`}
          columns={[
            {
              header: texts.account,
              cell: ({ alias, integration, connection_id: id }) => (
                <Go
                  target={connectionPageOf(environment, {
                    provider_config_key: integration,
                    connection_id: id,
                  })}
                >
                  {plainText(alias, 80)}
                </Go>
              ),
            },
            { header: texts.integration, cell: (each) => plainText(each.integration, 60) },
            {
              header: texts.state,
              cell: (each) => (
                <Badge tone={each.state === "ok" ? "good" : "bad"}>
                  {texts.accountStates[each.state]}
                </Badge>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}

function Calls({ id }: { id: string }) {
  const { agentCalls } = useTexts();
  const texts = useTextsOf(agentSessionTexts);
  const { name: environment } = useEnvironment();
  const calls = `${homeOf(environment)}/agent-calls`;
  return (
    <InnerList
      id="sessionCalls"
      title={texts.callsTitle}
      actions={
        <Go className="button small" target={{ to: calls, search: { session: id } }}>
          {texts.allCalls}
        </Go>
      }
      list={usePagedRows(agentCallsQuery(environment, { session_id: id }))}
      keyOf={keyOf}
      targetOf={(call) => ({ to: calls, search: { session: id, open: call.id } })}
      columns={columnsOf(agentCalls)}
      empty={texts.noCalls}
    />
  );
}

function columnsOf(texts: Texts["agentCalls"]) {
  type Call = Parameters<typeof keyOf>[0];
  return [
    { id: "at", header: texts.at, width: "172px", cell: ({ at }: Call) => <Time at={at} /> },
    {
      id: "tool",
      header: texts.tool,
      width: "minmax(140px, 1fr)",
      cell: ({ tool }: Call) => <span className="mono">{plainText(tool, 80)}</span>,
    },
    {
      id: "outcome",
      header: texts.outcome,
      width: "160px",
      cell: (call: Call) => <OutcomeBadge call={call} texts={texts} />,
    },
    {
      id: "took",
      header: texts.took,
      width: "76px",
      cell: ({ duration_ms: took }: Call) => took !== null && formatSpan(took),
    },
  ];
}
