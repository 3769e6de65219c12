import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { receiversQuery } from "../../data/environment/webhooks.ts";
import { failingSyncsQuery, type Problem } from "../../data/observe/problems.ts";
import { formatNumber, formatTime, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ConfirmDeletes, ReceiverButtons, RunSyncs } from "./help-buttons.tsx";

/** Why it is so, what the server does without anybody, and the buttons that help. */
export function HelpCard({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { kind, integration, receiver_url: url } = problem;
  const base = `/${encodeURIComponent(environment)}`;
  return (
    <Card title={texts.itself}>
      <div className="stack padded">
        <p>{texts.itselfTexts[kind] ?? texts.itselfUnknown}</p>
        {(kind === "sync_failing" || kind === "sync_late") && <NextRun problem={problem} />}
        {url !== null && <Receiver url={url} />}
        <h3>{texts.steps}</h3>
        <div className="row">
          <OtherPlaces problem={problem} base={base} />
          {(kind === "needs_reauthorization" || kind === "client_refused") &&
            integration !== null && (
              <Go
                className="button"
                target={{ to: `${base}/integrations/${encodeURIComponent(integration)}` }}
              >
                {texts.editClient}
              </Go>
            )}
          {(kind === "sync_failing" || kind === "sync_late" || kind === "run_stuck") && (
            <SyncHelp problem={problem} base={base} />
          )}
          {kind === "delete_guard" && <ConfirmDeletes problem={problem} />}
          {url !== null && <ReceiverButtons problem={problem} url={url} />}
        </div>
        <details>
          <summary>{texts.stepsApi}</summary>
          <ol className="steps">
            {problem.next_steps.map((step) => (
              <li key={step}>{plainText(step, 400)}</li>
            ))}
          </ol>
        </details>
      </div>
    </Card>
  );
}

/** Where what helps is done, for problems that have no button of their own. */
function OtherPlaces({ problem, base }: { problem: Problem; base: string }) {
  const { problems: texts } = useTexts();
  const { kind, integration, function: name } = problem;
  if (kind === "key_expiring") {
    return (
      <Go className="button primary" target={{ to: `${base}/keys` }}>
        {texts.editKeys}
      </Go>
    );
  }
  if (kind === "inbox_failed") {
    const search = { state: "failed", integration: integration ?? undefined };
    return (
      <Go className="button primary" target={{ to: `${base}/webhooks/in`, search }}>
        {texts.openInbox}
      </Go>
    );
  }
  if (kind === "sync_late") {
    return (
      <Go className="button" target={{ to: "/installation" }}>
        {texts.openWorkers}
      </Go>
    );
  }
  if (kind === "function_failing") {
    const search = {
      states: "failed",
      range: "24h",
      integrations: integration ?? undefined,
      functions: name ?? undefined,
    };
    return (
      <Go className="button primary" target={{ to: `${base}/operations`, search }}>
        {texts.operations}
      </Go>
    );
  }
  return null;
}

/** The earliest planned run of the syncs that fail, and what the last one said. */
function NextRun({ problem }: { problem: Problem }): ReactNode {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: syncs } = useQuery(failingSyncsQuery(environment, problem));
  if (syncs === undefined) return null;
  const [next] = syncs.flatMap(({ next_run_at: at }) => (at === null ? [] : [at])).toSorted();
  const reason = syncs.find((sync) => sync.reason !== null)?.reason;
  return (
    <>
      <p>{next === undefined ? texts.nextNone : texts.nextRun(formatTime(next))}</p>
      {reason !== undefined && reason !== null && (
        <blockquote>
          <strong>{plainText(reason.type)}</strong> {plainText(reason.message, 1000)}
        </blockquote>
      )}
    </>
  );
}

function SyncHelp({ problem, base }: { problem: Problem; base: string }) {
  const { problems: texts } = useTexts();
  const { integration, function: name } = problem;
  const search = {
    types: "sync",
    states: "failed",
    range: "7d",
    integrations: integration ?? undefined,
    functions: name ?? undefined,
  };
  return (
    <>
      {problem.kind === "sync_failing" && <RunSyncs problem={problem} />}
      <Go className="button" target={{ to: `${base}/operations`, search }}>
        {texts.operations}
      </Go>
      {integration !== null && name !== null && (
        <Go
          className="button"
          target={{
            to: `${base}/playground`,
            search: {
              integration,
              function: name,
              type: "sync",
              connection: problem.connections.sample[0],
            },
          }}
        >
          {texts.dryRun}
        </Go>
      )}
    </>
  );
}

/** What a receiver answered last, and how much waits for it. */
function Receiver({ url }: { url: string }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: receivers = [] } = useQuery(receiversQuery(environment));
  const receiver = receivers.find((each) => each.url === url);
  if (receiver === undefined) return null;
  const { last_status: status } = receiver.recent;
  return (
    <p>
      {status === null ? texts.noAnswer : texts.lastAnswer(String(status))}{" "}
      {texts.held(formatNumber(receiver.held))}
    </p>
  );
}
