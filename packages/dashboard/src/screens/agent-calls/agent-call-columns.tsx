import type { AgentCall } from "../../data/environment/agent-calls.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { formatSpan, plainText, shortenId } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";

export const callTones: Readonly<Record<AgentCall["outcome"], Tone>> = {
  running: "run",
  success: "good",
  failed: "bad",
  refused: "warn",
};

/** A call that waits for a person has not failed. */
const WAITS = "approval_required";

export function OutcomeBadge({ call, texts }: { call: AgentCall; texts: Texts["agentCalls"] }) {
  const { outcome, code } = call;
  if (code === WAITS) return <Badge tone="warn">{texts.waits}</Badge>;
  return <Badge tone={callTones[outcome]}>{texts.outcomes[outcome]}</Badge>;
}

/** The tool by which agents run scripts. */
const SCRIPT = "run_code";

export function isScript({ tool, integration }: AgentCall): boolean {
  return tool === SCRIPT && integration === null;
}

export function keyOf({ id }: AgentCall): string {
  return id;
}

/** The name of a tool, and whether a script has called it. */
function ToolName({ call, texts }: { call: AgentCall; texts: Texts["agentCalls"] }) {
  const isInner = call.parent_id !== null;
  return (
    <span className="mono" title={isInner ? texts.inScript : undefined}>
      {isInner && "↳ "}
      {plainText(call.tool, 80)}
    </span>
  );
}

export function agentCallColumns(texts: Texts["agentCalls"]): readonly Column<AgentCall>[] {
  return [
    { id: "at", header: texts.at, width: "172px", cell: ({ at }) => <Time at={at} /> },
    {
      id: "tool",
      header: texts.tool,
      width: "minmax(180px, 1.6fr)",
      cell: (call) => <ToolName call={call} texts={texts} />,
    },
    {
      id: "outcome",
      header: texts.outcome,
      width: "160px",
      cell: (call) => <OutcomeBadge call={call} texts={texts} />,
    },
    {
      id: "code",
      header: texts.code,
      width: "minmax(120px, 1fr)",
      cell: ({ code }) => <span className="mono">{plainText(code ?? "", 60)}</span>,
    },
    {
      id: "endUser",
      header: texts.endUser,
      width: "minmax(110px, 1fr)",
      cell: ({ end_user_id: user }) => plainText(user ?? texts.erased, 60),
    },
    {
      id: "connection",
      header: texts.connection,
      width: "minmax(148px, 1fr)",
      cell: ({ connection_id: id }) =>
        id !== null && (
          <span className="mono" title={id}>
            {plainText(shortenId(id, 18))}
          </span>
        ),
    },
    {
      id: "took",
      header: texts.took,
      width: "84px",
      isNumber: true,
      cell: ({ duration_ms: took }) => took !== null && formatSpan(took),
    },
  ];
}
