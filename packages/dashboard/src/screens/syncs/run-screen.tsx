import { useMutation, useQuery } from "@tanstack/react-query";
import { callApi, isNotFound } from "../../data/api.ts";
import { operationQuery } from "../../data/operations.ts";
import { queryClient } from "../../data/query-client.ts";
import { type SyncRun, syncRunQuery } from "../../data/syncs.ts";
import { Badge } from "../../parts/badge.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { SkeletonCard } from "../../parts/panels/skeleton.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { Time } from "../../parts/time.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf as connectionPageOf } from "../connections/connection-words.ts";
import { MessageList } from "../operations/message-list.tsx";
import { pageOf as operationPageOf } from "../operations/operation-words.ts";
import { Waterfall } from "../operations/waterfall.tsx";
import { toneOfRun } from "./run-words.ts";

/** One run of a sync: its calls, what it did to records, and what it logged. */
export function RunScreen() {
  const { syncs: texts } = useTexts();
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
        target: { to: `/${encodeURIComponent(environment)}/syncs`, search: { open: syncId } },
      }}
      badge={(found) =>
        found && <Badge tone={toneOfRun(found.state)}>{texts.runStates[found.state]}</Badge>
      }
      examples={[
        curlOf("listSyncRuns", environment, { params: { id: syncId } }),
        nodeOf(environment, `syncs.listRuns(${JSON.stringify(syncId)})`),
      ]}
      actions={(found) => found && <RunActions run={found} syncId={syncId} />}
    >
      {() =>
        run === null || run === undefined ? (
          <Empty title={texts.runGone} text={texts.runText} />
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

function RunActions({ run, syncId }: { run: SyncRun; syncId: string }) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: operation, error } = useQuery({
    ...operationQuery(environment, run.operation_id ?? ""),
    enabled: run.operation_id !== null,
  });
  const act = useMutation({
    mutationFn: async () => {
      if (run.ended_at === null) {
        await callApi("cancelRun", { environment, params: { id: run.id } });
        return;
      }
      const body = {
        provider_config_key: operation?.integration?.name,
        connection_id: operation?.connection?.name,
        syncs: [operation?.function?.name],
      };
      await callApi("triggerSyncs", { environment, body: Object(body) });
    },
    onSettled: async () =>
      await queryClient.invalidateQueries({ queryKey: ["sync-runs", environment, syncId] }),
  });
  const isKnown = [operation?.integration, operation?.connection, operation?.function].every(
    (part) => part !== null && part !== undefined,
  );
  // Not while it is read, nor where reading failed.
  const isForgotten =
    run.operation_id === null || isNotFound(error) || (operation !== undefined && !isKnown);
  return (
    <>
      <ScopedButton
        scope="environment:syncs:execute"
        isPending={act.isPending}
        isDisabled={run.ended_at !== null && !isKnown}
        reason={run.ended_at !== null && isForgotten ? texts.isForgotten : undefined}
        onPress={() => act.mutate()}
      >
        {run.ended_at === null ? texts.cancelRun : texts.resume}
      </ScopedButton>
      {run.operation_id !== null && (
        <Go className="button" target={operationPageOf(environment, run.operation_id)}>
          {texts.openOperation}
        </Go>
      )}
      <span role="status">{act.isSuccess && run.ended_at !== null && texts.resumed}</span>
      {act.isError && <FaultBanner error={act.error} />}
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
  const { syncs: texts, tables } = useTexts();
  const models = Object.entries(run.result).map(([model, changes]) => ({ model, changes }));
  const count = (of: keyof ModelChanges["changes"]) => ({
    header: texts[of],
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
    <Card title={texts.records}>
      {models.length === 0 ? (
        <p className="soft padded">{texts.noRecords}</p>
      ) : (
        <PlainTable
          label={texts.records}
          columns={[
            { header: texts.model, cell: ({ model }) => plainText(model) },
            ...[count("added"), count("updated"), count("deleted"), count("unchanged")],
            ...(hasQuarantined ? [count("quarantined")] : []),
            { header: texts.perSecond, isNumber: true, cell: speed },
          ]}
          rows={models}
          keyOf={({ model }) => model}
        />
      )}
    </Card>
  );
}

function RunFacts({ run }: { run: SyncRun }) {
  const { syncs: texts, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: operation } = useQuery({
    ...operationQuery(environment, run.operation_id ?? ""),
    enabled: run.operation_id !== null,
  });
  const { integration, connection, function: called } = operation ?? {};
  const waited =
    run.started_at === null ? 0 : Date.parse(run.started_at) - Date.parse(run.created_at);
  return (
    <Card title={texts.facts}>
      <Facts
        rows={[
          [texts.sync, called && plainText(called.name)],
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
          [texts.trigger, texts.triggers[run.trigger]],
          [texts.fullRun, run.full_run ? tables.yes : tables.no],
          [texts.attempts, run.attempts > 1 && texts.times(formatNumber(run.attempts))],
          [texts.queued, <Time key="queued" at={run.created_at} />],
          [texts.waited, waited > 0 && formatSpan(waited)],
          [texts.started, run.started_at && <Time at={run.started_at} />],
          [texts.ended, run.ended_at && <Time at={run.ended_at} />],
          [texts.took, run.duration_ms !== null && formatSpan(run.duration_ms)],
        ]}
      />
    </Card>
  );
}
