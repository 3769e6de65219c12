import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import type { WholeApproval } from "../../data/environment/approvals.ts";
import { queryClient } from "../../data/query-client.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatBytes, plainText } from "../../parts/formats.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView, TextView } from "../../parts/panels/json-view.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf as connectionPageOf } from "../connections/connection-words.ts";
import { approvalTones } from "./approval-words.ts";

/** One call: the request that it would send, its arguments, and the decision. */
export function ApprovalDetail({ approval }: { approval: WholeApproval }) {
  const { approvals: texts } = useTexts();
  return (
    <>
      <p className="padded">
        <Badge tone={approvalTones[approval.state]}>{texts.states[approval.state]}</Badge>
      </p>
      <Taint approval={approval} />
      <Request approval={approval} />
      <Card title={texts.input}>
        <JsonView label={texts.input} value={approval.input} />
      </Card>
      <Decision approval={approval} />
      <About approval={approval} />
    </>
  );
}

function Taint({ approval: { tainted, origins } }: { approval: WholeApproval }) {
  const { approvals: texts } = useTexts();
  if (!tainted) return null;
  return (
    <div className="padded">
      <p>{texts.tainted}</p>
      {origins.length > 0 && (
        <ul>
          {origins.map(({ path, text, tool }) => (
            <li key={`${path} ${text}`}>
              <span className="mono">{plainText(path, 100)}</span>{" "}
              {texts.origin(plainText(text, 200), plainText(tool, 100))}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Request({ approval: { request } }: { approval: WholeApproval }) {
  const { approvals: texts } = useTexts();
  const { call, method, url, details, body, body_bytes: bytes } = request;
  const line = method === null ? `svc.${call}` : `${method} ${url ?? ""}`;
  const bodyTitle = texts.body(formatBytes(bytes));
  return (
    <Card title={texts.request}>
      <p className="mono padded">{plainText(line, 600)}</p>
      <p className="soft padded">{texts.requestText}</p>
      {bytes > 0 && body === null && <p className="soft padded">{texts.noBody}</p>}
      {body !== null && <TextView label={bodyTitle} text={body} />}
      <details className="padded" open={method === null}>
        <summary>{texts.details}</summary>
        <JsonView label={texts.details} value={details} />
      </details>
    </Card>
  );
}

const APPROVE = "environment:agents:approve";

interface Wanted {
  readonly decision: "approve" | "deny";
  readonly scope?: "once" | "session";
  readonly reason?: string;
}

function Decision({ approval: { id, state, effect } }: { approval: WholeApproval }) {
  const { approvals: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const decide = useMutation({
    mutationFn: async (wanted: Wanted) => {
      const body = Object(wanted);
      await callApi("decideAgentApproval", { environment, params: { id }, body });
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ["approval", environment, id] });
      await queryClient.invalidateQueries({ queryKey: ["approvals", environment] });
    },
  });
  const isOver = state !== "waiting";
  const done = decide.variables?.decision === "deny" ? texts.refused : texts.approved;
  return (
    <>
      {decide.isError && <FaultBanner error={decide.error} />}
      {!isOver && (
        <form
          className="stack padded"
          onSubmit={(event) => {
            event.preventDefault();
            const reason = String(new FormData(event.currentTarget).get("reason")).trim();
            decide.mutate({ decision: "deny", ...(reason === "" ? {} : { reason }) });
          }}
        >
          <div className="row">
            <ScopedButton
              scope={APPROVE}
              look="primary"
              isPending={decide.isPending}
              onPress={() => decide.mutate({ decision: "approve" })}
            >
              {texts.approve}
            </ScopedButton>
            {effect === "write" && (
              <ScopedButton
                scope={APPROVE}
                isPending={decide.isPending}
                onPress={() => decide.mutate({ decision: "approve", scope: "session" })}
              >
                {texts.approveAll}
              </ScopedButton>
            )}
          </div>
          {effect === "write" && <p className="soft">{texts.approveAllText}</p>}
          <TextInput isOptional label={texts.denyReason} name="reason" autoComplete="off" />
          <div className="row">
            <ScopedButton scope={APPROVE} look="danger" type="submit" isPending={decide.isPending}>
              {texts.deny}
            </ScopedButton>
          </div>
        </form>
      )}
      <p role="status" className="padded">
        {decide.isSuccess ? done : ""}
      </p>
    </>
  );
}

function About({ approval }: { approval: WholeApproval }) {
  const { approvals: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { connection_id: connection, integration, decided_at: decidedAt, reason } = approval;
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [texts.tool, plainText(approval.tool, 100)],
          [texts.effect, texts.effects[approval.effect]],
          [texts.endUser, plainText(approval.end_user_id, 255)],
          [
            texts.connection,
            <Go
              key="connection"
              target={connectionPageOf(environment, {
                provider_config_key: integration,
                connection_id: connection,
              })}
            >
              {plainText(connection)}
            </Go>,
          ],
          [texts.account, plainText(approval.account ?? "", 255)],
          [texts.toolset, approval.toolset],
          [texts.asked, <Time key="asked" at={approval.created_at} />],
          [texts.ends, <Time key="ends" at={approval.expires_at} />],
          [texts.decided, decidedAt !== null && <Time at={decidedAt} />],
          [texts.approver, texts.approvers[approval.approver]],
          [texts.decidedBy, approval.decided_by !== null && texts.approvers[approval.decided_by]],
          [texts.reason, plainText(reason ?? "", 500)],
        ]}
      />
    </Card>
  );
}
