import { useMutation, useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import { queryClient } from "../../data/query-client.ts";
import { type ListedSync, type SyncRun, syncRunsQuery } from "../../data/syncs.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { pageOf as connectionPageOf } from "../connections/connection-words.ts";
import { bodyOf, runPageOf, toneOfRun } from "./run-words.ts";
import { FrequencyButton, ResyncButton } from "./sync-changes.tsx";
import { changeText, nameOf, operationsOf, SyncBadge } from "./sync-columns.tsx";

/** One sync next to the list: its state, its latest runs, and what can be done. */
export function SyncDrawer({
  sync,
  onClose,
  onStep,
}: {
  sync: ListedSync;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <Drawer
      title={plainText(nameOf(sync), 60)}
      page={operationsOf(environment, sync)}
      pageText={texts.operations}
      onClose={onClose}
      onStep={onStep}
    >
      <p className="padded">
        <SyncBadge sync={sync} texts={texts} />
      </p>
      {sync.reason !== null && (
        <section className="banner bad column">
          <strong>{plainText(sync.reason.type)}</strong>
          <p>{plainText(sync.reason.message, 1000)}</p>
        </section>
      )}
      <Actions sync={sync} />
      <Runs sync={sync} />
      <Card title={texts.facts}>
        <Facts
          rows={[
            [texts.integration, plainText(sync.provider_config_key)],
            [
              texts.connection,
              <Go key="connection" target={connectionPageOf(environment, sync)}>
                {plainText(sync.connection_id)}
              </Go>,
            ],
            [texts.frequency, sync.frequency],
            [texts.lastSuccess, sync.last_success_at && <Time at={sync.last_success_at} />],
            [texts.nextRun, sync.next_run_at && <Time at={sync.next_run_at} />],
            [
              texts.failures,
              sync.consecutive_failures === 0 ? undefined : formatNumber(sync.consecutive_failures),
            ],
          ]}
        />
      </Card>
    </Drawer>
  );
}

/** A run that was asked for is queued a moment later. */
const QUEUED_AFTER_MS = 2000;

async function readAgain(environment: string, id: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["syncs", environment] });
  await queryClient.invalidateQueries({ queryKey: ["sync-runs", environment, id] });
}

function Actions({ sync }: { sync: ListedSync }) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const act = useMutation({
    mutationFn: async (action: "triggerSyncs" | "pauseSyncs" | "startSyncs" | "cancelRun") => {
      if (action === "cancelRun") {
        return await callApi(action, { environment, params: { id: sync.running_run_id ?? "" } });
      }
      return await callApi(action, { environment, body: Object(bodyOf(sync)) });
    },
    onSettled: async () => {
      await readAgain(environment, sync.id);
      setTimeout(() => void readAgain(environment, sync.id), QUEUED_AFTER_MS);
    },
  });
  const isPaused = sync.state === "paused";
  return (
    <>
      {act.isError && <FaultBanner error={act.error} />}
      <div className="row padded">
        <ScopedButton
          look="primary"
          scope="environment:syncs:execute"
          reason={sync.state === "disabled" ? texts.isDisabled : undefined}
          isPending={act.isPending}
          onPress={() => act.mutate("triggerSyncs")}
        >
          {texts.runNow}
        </ScopedButton>
        <ScopedButton
          scope="environment:syncs:execute"
          onPress={() => act.mutate(isPaused ? "startSyncs" : "pauseSyncs")}
        >
          {isPaused ? texts.start : texts.pause}
        </ScopedButton>
        {sync.running_run_id !== null && (
          <ScopedButton scope="environment:syncs:execute" onPress={() => act.mutate("cancelRun")}>
            {texts.cancelRun}
          </ScopedButton>
        )}
        <ResyncButton sync={sync} onDone={() => void readAgain(environment, sync.id)} />
        <FrequencyButton sync={sync} onDone={() => void readAgain(environment, sync.id)} />
      </div>
    </>
  );
}

function Runs({ sync }: { sync: ListedSync }) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(syncRunsQuery(environment, sync.id));
  return (
    <Card title={texts.runs}>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.length === 0 && <p className="soft padded">{texts.noRuns}</p>}
      <ol className="runs">
        {query.data?.map((run) => (
          <li key={run.id}>
            <Badge tone={toneOfRun(run.state)}>{texts.runStates[run.state]}</Badge>
            <RunTime run={run} sync={sync} />
            <span className="mono soft cut">{changesOf(run)}</span>
            <span className="number">
              {run.duration_ms === null ? "" : formatSpan(run.duration_ms)}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** When a run began, as a link to its page. */
function RunTime({ run, sync }: { run: SyncRun; sync: ListedSync }) {
  const { name: environment } = useEnvironment();
  return (
    <Go target={runPageOf(environment, sync.id, run.id)}>
      <Time at={run.started_at ?? run.created_at} />
    </Go>
  );
}

/** What a run did to records: `+3 ~7 −0`; of a failed one, why it failed. */
function changesOf({ result, error }: SyncRun): string {
  if (error !== null) return plainText(error.type);
  const models = Object.values(result);
  const sum = (name: "added" | "updated" | "deleted") =>
    models.reduce((all, changes) => all + changes[name], 0);
  const changes = { added: sum("added"), updated: sum("updated"), deleted: sum("deleted") };
  return models.length === 0 ? "" : changeText(changes);
}
