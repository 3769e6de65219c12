import { type AgentCall, agentCallsQuery } from "../../data/environment/agent-calls.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatSpan, plainText, shortenId } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { callTones, isScript, keyOf, OutcomeBadge } from "./agent-call-columns.tsx";

/** One call: for whom, by which client, and of a script what it has called. */
export function AgentCallDrawer({
  call,
  ...open
}: {
  call: AgentCall;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { agentCalls: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const base = homeOf(environment);
  const { effect, parent_id: parent, session_id: session } = call;
  const script = parent ?? (isScript(call) ? call.id : undefined);
  return (
    <Drawer title={plainText(call.tool, 80)} {...open}>
      <div className="row padded">
        <OutcomeBadge call={call} texts={texts} />
        <Go className="button small" target={{ to: ".", search: { session } }}>
          {texts.onlySession}
        </Go>
        {script !== undefined && (
          <Go className="button small" target={{ to: ".", search: { script } }}>
            {texts.onlyScript}
          </Go>
        )}
      </div>
      {isScript(call) && <ScriptCalls id={call.parent_id ?? call.id} />}
      <Facts
        rows={[
          [texts.at, <Time key="at" at={call.at} />],
          [texts.took, call.duration_ms !== null && formatSpan(call.duration_ms)],
          [texts.code, call.code],
          [texts.effect, effect !== null && texts.effects[effect]],
          [texts.endUser, plainText(call.end_user_id ?? texts.erased, 255)],
          [texts.connection, plainText(call.connection_id ?? "", 255)],
          [texts.client, plainText(call.client ?? "", 255)],
          [texts.toolset, `${call.toolset}, ${texts.version(call.toolset_version)}`],
          [
            texts.session,
            <Go key="session" className="mono" target={{ to: `${base}/agent-sessions/${session}` }}>
              {shortenId(session)}
            </Go>,
          ],
        ]}
      />
    </Drawer>
  );
}

/** What a script has called, in the order in which it did. */
function ScriptCalls({ id }: { id: string }) {
  const { agentCalls: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const list = usePagedRows(agentCallsQuery(environment, { parent_id: id }));
  const calls = list.rows.toReversed();
  return (
    <Card title={texts.calls}>
      {list.isError && <FaultBanner error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && !list.isLoading && calls.length === 0 && (
        <p className="soft padded">{texts.noCalls}</p>
      )}
      {calls.length > 0 && (
        <PlainTable
          label={texts.calls}
          rows={calls}
          keyOf={keyOf}
          columns={[
            {
              header: texts.tool,
              cell: ({ tool }) => <span className="mono">{plainText(tool, 80)}</span>,
            },
            {
              header: texts.outcome,
              cell: ({ outcome, code }) => (
                <Badge tone={callTones[outcome]}>{code ?? texts.outcomes[outcome]}</Badge>
              ),
            },
            {
              header: texts.took,
              isNumber: true,
              cell: ({ duration_ms: took }) => took !== null && formatSpan(took),
            },
          ]}
        />
      )}
    </Card>
  );
}
