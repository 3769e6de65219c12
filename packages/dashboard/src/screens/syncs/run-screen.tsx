import { useQuery } from "@tanstack/react-query";
import { operationQuery } from "../../data/operations.ts";
import { type SyncRun, syncRunQuery, syncStatusQuery } from "../../data/syncs.ts";
import { Badge } from "../../parts/badge.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { SkeletonCard } from "../../parts/panels/skeleton.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { syncRunTexts } from "../../texts/syncs/sync-run.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { pageOf as connectionPageOf } from "../connections/connection-words.ts";
import { MessageList } from "../operations/message-list.tsx";
import { Waterfall } from "../operations/waterfall.tsx";
import { RunActions } from "./run-actions.tsx";
import { syncOf, toneOfRun } from "./run-words.ts";
import { nameOf } from "./sync-columns.tsx";

/** One run of a sync: its calls, what it did to records, and what it logged. */
export function RunScreen() {
  const { syncs: texts } = useTexts();
  const words = useTextsOf(syncRunTexts);
  const { name: environment } = useEnvironment();
  const { syncId = "", runId = "" } = usePathValues();
  const query = useQuery(syncRunQuery(environment, { syncId, runId }));
  const run = query.data;
  return (
    <DetailScreen
      query={query}
      title={() => texts.run}
      parent={{
        text: texts.title,
        target: { to: `${homeOf(environment)}/syncs`, search: { open: syncId } },
      }}
      badge={(found) =>
        found && <Badge tone={toneOfRun(found.state)}>{texts.runStates[found.state]}</Badge>
      }
      examples={[
        curlOf("listSyncRuns", environment, { params: { id: syncId } }),
        nodeOf(environment, `syncs.listRuns(${JSON.stringify(syncId)})`),
      ]}
      actions={(found) => found && <RunActions key={found.id} run={found} syncId={syncId} />}
    >
      {() =>
        run === null || run === undefined ? (
          <Empty title={words.runGone} text={words.runText} />
        ) : (
          <>
            {run.error !== null && (
              <section className="banner bad column">
                <strong>{plainText(run.error.message, 1000)}</strong>
                <code>{plainText(run.error.type)}</code>
              </section>
            )}
            <div className="columns">
              <div className="stack">
                <RecordsCard run={run} />
                {run.operation_id !== null && <OperationParts id={run.operation_id} />}
              </div>
              <div className="stack">
                <RunFacts run={run} />
                <CheckpointCard run={run} />
              </div>
            </div>
          </>
        )
      }
    </DetailScreen>
  );
}

function OperationParts({ id }: { id: string }) {
  const { name: environment } = useEnvironment();
  const query = useQuery(operationQuery(environment, id));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <SkeletonCard />;
  return (
    <>
      <Waterfall operation={query.data} />
      <MessageList operation={query.data} />
    </>
  );
}

interface ModelChanges {
  readonly model: string;
  readonly changes: SyncRun["result"][string];
}

const SECOND = 1000;

/** What it did to the records of each model, and how fast. */
function RecordsCard({ run }: { run: SyncRun }) {
  const { tables } = useTexts();
  const words = useTextsOf(syncRunTexts);
  const models = Object.entries(run.result).map(([model, changes]) => ({ model, changes }));
  const count = (of: keyof ModelChanges["changes"]) => ({
    header: words[of],
    isNumber: true,
    cell: ({ changes }: ModelChanges) => formatNumber(changes[of] ?? 0),
  });
  const hasQuarantined = models.some(({ changes }) => changes.quarantined !== undefined);
  const { duration_ms: took } = run;
  const speed = ({ changes }: ModelChanges) => {
    if (took === null || took === 0) return tables.nothing;
    const all = changes.added + changes.updated + changes.deleted + changes.unchanged;
    return formatNumber(Math.round((all * SECOND) / took));
  };
  return (
    <Card title={words.records}>
      {models.length === 0 ? (
        <p className="soft padded">{words.noRecords}</p>
      ) : (
        <PlainTable
          label={words.records}
          columns={[
            { header: words.model, cell: ({ model }) => plainText(model) },
            ...[count("added"), count("updated"), count("deleted"), count("unchanged")],
            ...(hasQuarantined ? [count("quarantined")] : []),
            { header: words.perSecond, isNumber: true, cell: speed },
          ]}
          rows={models}
          keyOf={({ model }) => model}
        />
      )}
    </Card>
  );
}

/** From where the run continued, and where the sync is now. */
function CheckpointCard({ run }: { run: SyncRun }) {
  const words = useTextsOf(syncRunTexts);
  const { name: environment } = useEnvironment();
  const { data: operation } = useQuery({
    ...operationQuery(environment, run.operation_id ?? ""),
    enabled: run.operation_id !== null,
  });
  const sync = operation && syncOf(operation);
  const { data: now } = useQuery({
    ...syncStatusQuery(environment, sync),
    enabled: sync !== undefined,
  });
  return (
    <Card title={words.checkpoint}>
      <div className="stack padded">
        <p className="soft">{words.beganFrom}</p>
        {run.checkpoint === null || run.checkpoint === undefined ? (
          <p>{words.noCheckpoint}</p>
        ) : (
          <JsonView label={words.beganFrom} value={run.checkpoint} />
        )}
        {now !== undefined && (
          <>
            <p className="soft">{words.isNow}</p>
            {now?.checkpoint ? (
              <JsonView label={words.isNow} value={now.checkpoint} />
            ) : (
              <p>{words.noCheckpoint}</p>
            )}
          </>
        )}
      </div>
    </Card>
  );
}

function RunFacts({ run }: { run: SyncRun }) {
  const { syncs: texts, tables } = useTexts();
  const words = useTextsOf(syncRunTexts);
  const { name: environment } = useEnvironment();
  const { data: operation } = useQuery({
    ...operationQuery(environment, run.operation_id ?? ""),
    enabled: run.operation_id !== null,
  });
  const { integration, connection } = operation ?? {};
  const sync = operation && syncOf(operation);
  const waited =
    run.started_at === null ? 0 : Date.parse(run.started_at) - Date.parse(run.created_at);
  return (
    <Card title={texts.facts}>
      <Facts
        rows={[
          [texts.sync, sync && plainText(nameOf(sync))],
          [texts.integration, integration && plainText(integration.name)],
          [
            texts.connection,
            integration && connection && (
              <Go
                target={connectionPageOf(environment, {
                  provider_config_key: integration.name,
                  connection_id: connection.name,
                })}
              >
                {plainText(connection.name, 80)}
              </Go>
            ),
          ],
          [words.trigger, words.triggers[run.trigger]],
          [words.fullRun, run.full_run ? tables.yes : tables.no],
          [words.attempts, run.attempts > 1 && words.times(formatNumber(run.attempts))],
          [words.queued, <Time key="queued" at={run.created_at} />],
          [words.waited, waited > 0 && formatSpan(waited)],
          [words.started, run.started_at && <Time at={run.started_at} />],
          [words.ended, run.ended_at && <Time at={run.ended_at} />],
          [words.took, run.duration_ms !== null && formatSpan(run.duration_ms)],
        ]}
      />
    </Card>
  );
}
