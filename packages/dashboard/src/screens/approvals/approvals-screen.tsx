import { useMemo } from "react";
import { type Approval, approvalsQuery } from "../../data/environment/approvals.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText, shortenId } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { choicesOf, WordFilter, WordSearch } from "../../parts/list/word-filters.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { apiAddress } from "../../start/base-path.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ApprovalDrawer } from "./approval-drawer.tsx";
import { approvalPage, approvalTones } from "./approval-words.ts";

/** Calls of agents that a person has to approve, newest first. */
export function ApprovalsScreen() {
  const { approvals: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { words } = useAddress();
  const { state, user: end_user_id } = words;
  const filter = { state, end_user_id };
  return (
    <ListScreen
      id="approvals"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts), [texts])}
      list={usePagedRows(approvalsQuery(environment, filter))}
      keyOf={keyOf}
      pageOf={({ id }) => approvalPage(environment, id)}
      panel={({ id, row: _row, ...open }) => <ApprovalDrawer key={id} id={id} {...open} />}
      filters={
        <>
          <WordSearch word="user" label={texts.userSearch} />
          <WordFilter word="state" label={texts.state} choices={choicesOf(texts.states)} />
        </>
      }
      values={{ state: texts.states }}
      narrowing={{ state: texts.state, user: texts.userSearch }}
      examples={[
        curlOf("listAgentApprovals", environment, { query: Object(filter) }),
        nodeOf(environment, `agent.listApprovals(${JSON.stringify(filter)})`),
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

function keyOf({ id }: Approval): string {
  return id;
}

function columnsOf(texts: Texts["approvals"]): readonly Column<Approval>[] {
  return [
    {
      id: "asked",
      header: texts.asked,
      width: "172px",
      cell: (row) => <Time at={row.created_at} />,
    },
    {
      id: "state",
      header: texts.state,
      width: "112px",
      cell: ({ state }) => <Badge tone={approvalTones[state]}>{texts.states[state]}</Badge>,
    },
    {
      id: "tool",
      header: texts.tool,
      width: "minmax(160px, 1.4fr)",
      cell: ({ tool }) => <span className="mono">{plainText(tool, 80)}</span>,
    },
    {
      id: "effect",
      header: texts.effect,
      width: "minmax(90px, 0.8fr)",
      cell: ({ effect }) => texts.effects[effect],
    },
    {
      id: "endUser",
      header: texts.endUser,
      width: "minmax(120px, 1fr)",
      cell: ({ end_user_id: user }) => plainText(user, 60),
    },
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(148px, 1fr)",
      cell: ({ connection_id: id }) => (
        <span className="mono" title={id}>
          {plainText(shortenId(id, 18))}
        </span>
      ),
    },
    {
      id: "ends",
      header: texts.ends,
      width: "172px",
      cell: ({ state, expires_at: at }) => state === "waiting" && <Time at={at} />,
    },
  ];
}
