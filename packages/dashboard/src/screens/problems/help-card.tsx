import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { failingSyncsQuery, lateSyncsQuery, type Problem } from "../../data/observe/problems.ts";
import { formatMoment, plainText } from "../../parts/formats.ts";
import { Go, type Target } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { integrationField } from "../integrations/integration-words.ts";
import { delayText } from "../syncs/sync-columns.tsx";
import {
  CancelRun,
  ConfirmDeletes,
  ReceiverButtons,
  RefreshNow,
  RunSyncs,
} from "./help-buttons.tsx";

/** Why it is so, what the server does without anybody, and the buttons that help. */
export function HelpCard({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const { kind, by_itself: byItself } = problem;
  const isLate = kind === "sync_late" || kind === "run_stuck";
  return (
    <Card title={texts.itself}>
      <div className="stack padded">
        <p>{texts.itselfTexts[kind] ?? plainText(byItself, 1000)}</p>
        {kind === "sync_failing" && <NextRun problem={problem} />}
        {isLate && <Delay problem={problem} />}
        <h3>{texts.steps}</h3>
        <div className="row">
          <HelpButtons problem={problem} />
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

function HelpButtons({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const base = homeOf(environment);
  const { kind, receiver_url: url, sample_operation_id: operation } = problem;
  return (
    <>
      {kind === "refresh_backoff" && <RefreshNow problem={problem} isPrimary />}
      {(kind === "sync_failing" || kind === "sync_late" || kind === "run_stuck") && (
        <SyncHelp problem={problem} base={base} />
      )}
      {kind === "delete_guard" && (
        <>
          <ConfirmDeletes problem={problem} />
          <RunSyncs problem={problem} />
        </>
      )}
      {url !== null && <ReceiverButtons problem={problem} url={url} />}
      {placesOf(problem, { environment, base, texts }).map(({ text, target }, index) => (
        <Go
          key={text}
          className={index === 0 && leads.has(kind) ? "button primary" : "button"}
          target={target}
        >
          {text}
        </Go>
      ))}
      {kind === "client_refused" && <RefreshNow problem={problem} isPrimary={false} />}
      {operation !== null && (
        <Go className="button" target={{ to: `${base}/operations/${operation}` }}>
          {texts.oneOperation}
        </Go>
      )}
    </>
  );
}

/** Kinds whose help is a place, and no button of this page. */
const leads: ReadonlySet<string> = new Set([
  "client_refused",
  "key_expiring",
  "key_unused",
  "inbox_failed",
  "webhooks_silent",
  "webhooks_unverified",
  "function_failing",
  "function_error",
  "validation_drift",
  "records_quarantined",
  "canary_rolled_back",
  "destination_failing",
  "sql_access_suspended",
  "provider_down",
  "queue_late",
  "signing_key_rotating",
  "disk_low",
  "partition_missing",
]);

interface Place {
  readonly text: string;
  readonly target: Target;
}

/** Where what helps is done, the likeliest first. */
function placesOf(
  { kind, integration, function: name, connections }: Problem,
  {
    environment,
    base,
    texts,
  }: { readonly environment: string; readonly base: string; readonly texts: Texts["problems"] },
): readonly Place[] {
  const [own, called] = [integration ?? undefined, name ?? undefined];
  const failed = {
    text: texts.operations,
    target: {
      to: `${base}/operations`,
      search: { states: "failed,timeout", range: "24h", integrations: own, functions: called },
    },
  };
  const versions = {
    text: texts.openFunction,
    target: { to: `${base}/functions`, search: { integration: own, q: called } },
  };
  const client = {
    text: texts.editClient,
    target: integrationField(environment, own ?? "", "client_secret"),
  };
  const webhookSecret = {
    text: texts.editWebhookSecret,
    target: integrationField(environment, own ?? "", "webhook_secret"),
  };
  const keys = { text: texts.editKeys, target: { to: `${base}/keys` } };
  const installation = { text: texts.openInstallation, target: { to: "/installation" } };
  const workers = { text: texts.openWorkers, target: { to: "/installation" } };
  const inbox = {
    text: texts.openInbox,
    target: { to: `${base}/webhooks/in`, search: { state: "failed", integration: own } },
  };
  const affected = [own ?? "", connections.sample[0] ?? ""].map(encodeURIComponent).join("/");
  const quarantine = {
    text: texts.openQuarantine,
    target: { to: `${base}/connections/${affected}/records` },
  };
  const signing = { text: texts.openSigning, target: { to: `${base}/settings/webhooks` } };
  const known: Readonly<Record<string, readonly Place[]>> = {
    needs_reauthorization: own === undefined ? [] : [client],
    client_refused: own === undefined ? [] : [client],
    key_expiring: [keys],
    key_unused: [keys],
    inbox_failed: [inbox],
    webhooks_unverified: own === undefined ? [] : [webhookSecret],
    webhooks_silent: [
      {
        text: texts.openInbox,
        target: { to: `${base}/webhooks/in`, search: { integration: own } },
      },
    ],
    sync_late: [workers],
    run_stuck: [workers],
    queue_late: [workers],
    function_failing: [failed, versions],
    function_error: [failed],
    validation_drift: [failed, versions],
    records_quarantined: [quarantine],
    canary_rolled_back: [{ text: texts.openDeployments, target: { to: `${base}/deployments` } }],
    destination_failing: [{ text: texts.openDestinations, target: { to: `${base}/destinations` } }],
    sql_access_suspended: [
      { text: texts.openSqlAccess, target: { to: `${base}/settings/sql-access` } },
    ],
    provider_down: [
      failed,
      {
        text: texts.checkConnections,
        target: { to: `${base}/connections`, search: { integration: own } },
      },
    ],
    signing_key_rotating: [signing],
    disk_low: [installation],
    partition_missing: [installation],
  };
  return known[kind] ?? [];
}

/** The earliest planned run of the syncs that fail, and what the last one said. */
function NextRun({ problem }: { problem: Problem }): ReactNode {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const {
    data: syncs,
    isLoadingError,
    error,
    refetch,
  } = useQuery(failingSyncsQuery(environment, problem));
  if (isLoadingError) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  if (syncs === undefined) return null;
  const [next] = syncs.flatMap(({ next_run_at: at }) => (at === null ? [] : [at])).toSorted();
  const reason = syncs.find((sync) => sync.reason !== null)?.reason;
  return (
    <>
      <p>{next === undefined ? texts.nextNone : texts.nextRun(formatMoment(next))}</p>
      {reason !== undefined && reason !== null && (
        <blockquote>
          <strong>{plainText(reason.type)}</strong> {plainText(reason.message, 1000)}
        </blockquote>
      )}
    </>
  );
}

/** What holds the syncs up, and since when. */
function Delay({ problem }: { problem: Problem }): ReactNode {
  const { problems: texts, syncs } = useTexts();
  const { name: environment } = useEnvironment();
  const { data, isLoadingError, error, refetch } = useQuery(lateSyncsQuery(environment, problem));
  if (isLoadingError) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  const delay = data?.[0]?.delay;
  if (delay === undefined || delay === null) return null;
  return (
    <p>
      <strong>{delayText(delay, syncs)}</strong> {texts.delaySince(formatMoment(delay.since))}
    </p>
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
      {problem.kind === "run_stuck" ? (
        <CancelRun problem={problem} />
      ) : (
        <RunSyncs problem={problem} />
      )}
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
