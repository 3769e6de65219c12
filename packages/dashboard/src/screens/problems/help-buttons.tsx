import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import { failingSyncsQuery, lateSyncsQuery, type Problem } from "../../data/observe/problems.ts";
import { queryClient } from "../../data/query-client.ts";
import { type ListedSync, referenceOf } from "../../data/syncs.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ReplaySince } from "../webhooks/out/replay-range.tsx";

async function readAgain(environment: string): Promise<void> {
  for (const name of ["problem", "problems", "syncs", "receivers"]) {
    await queryClient.invalidateQueries({ queryKey: [name, environment] });
  }
}

/** Refreshes the tokens of all that have the problem, as one job. */
export function RefreshNow({ problem, isPrimary }: { problem: Problem; isPrimary: boolean }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const refresh = useMutation({
    mutationFn: async () => {
      const filter = { provider_config_key: problem.integration ?? undefined, state: "backoff" };
      const body = { action: "connections:refresh", filter };
      return (await callApi("startBulkJob", { environment, body: Object(body) })).data;
    },
    onSettled: async () => await readAgain(environment),
  });
  return (
    <>
      <ScopedButton
        look={isPrimary ? "primary" : ""}
        scope="environment:connections:refresh"
        isPending={refresh.isPending}
        onPress={() => refresh.mutate()}
      >
        {texts.tryNow}
      </ScopedButton>
      {refresh.isError && <FaultBanner error={refresh.error} />}
      <span role="status">
        {refresh.isSuccess && texts.tried(formatNumber(refresh.data.matched))}
      </span>
    </>
  );
}

/** Runs the syncs that have the problem, each for its connection. */
export function RunSyncs({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data } = useQuery(failingSyncsQuery(environment, problem));
  const syncs = (data ?? []).filter((sync) => hasProblem(sync, problem));
  const run = useMutation({
    mutationFn: async () => {
      const ids = syncs.map(({ id }) => id);
      const body = { action: "syncs:trigger", syncs: ids };
      await callApi("startBulkJob", { environment, body: Object(body) });
    },
    onSettled: async () => await readAgain(environment),
  });
  const isMain = problem.kind !== "delete_guard";
  return (
    <>
      <ScopedButton
        look={isMain ? "primary" : ""}
        scope="environment:syncs:execute"
        isDisabled={data === undefined}
        reason={data !== undefined && syncs.length === 0 ? texts.noneFails : undefined}
        isPending={run.isPending}
        onPress={() => run.mutate()}
      >
        {syncs.length > 1 ? texts.runAll(formatNumber(syncs.length)) : texts.runNow}
      </ScopedButton>
      {run.isError && <FaultBanner error={run.error} />}
      <span role="status">{run.isSuccess && texts.started(formatNumber(syncs.length))}</span>
    </>
  );
}

/** Ends the run that is begun again and again, for the connection that has it now. */
export function CancelRun({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data } = useQuery(lateSyncsQuery(environment, problem));
  const ids = (data ?? []).flatMap(({ running_run_id: id }) => (id === null ? [] : [id]));
  const cancel = useMutation({
    mutationFn: async () => {
      for (const id of ids) await callApi("cancelRun", { environment, params: { id } });
    },
    onSettled: async () => await readAgain(environment),
  });
  return (
    <>
      <ScopedButton
        look="primary"
        scope="environment:syncs:execute"
        isDisabled={data === undefined}
        reason={data !== undefined && ids.length === 0 ? texts.noneRuns : undefined}
        isPending={cancel.isPending}
        onPress={() => cancel.mutate()}
      >
        {texts.cancelRun}
      </ScopedButton>
      {cancel.isError && <FaultBanner error={cancel.error} />}
      <span role="status">{cancel.isSuccess && texts.cancelled}</span>
    </>
  );
}

function hasProblem({ refused_deletes: refused }: ListedSync, { kind, model }: Problem): boolean {
  return kind !== "delete_guard" || (refused[model ?? ""] ?? 0) > 0;
}

/** Allows what the guard of deletes refused, after naming what goes. */
export function ConfirmDeletes({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  return (
    <DialogButton label={texts.confirmDeletes} look="danger" scope="environment:syncs:execute">
      {() => <RefusedDeletes problem={problem} />}
    </DialogButton>
  );
}

function RefusedDeletes({ problem }: { problem: Problem }) {
  const { problems: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const model = problem.model ?? "";
  const syncs = useQuery(failingSyncsQuery(environment, problem));
  const refused = (syncs.data ?? []).filter((sync) => (sync.refused_deletes[model] ?? 0) > 0);
  const confirm = useMutation({
    mutationFn: async () => {
      for (const sync of refused) {
        const body = {
          provider_config_key: sync.provider_config_key,
          connection_id: sync.connection_id,
          sync: referenceOf(sync),
        };
        await callApi("confirmDeletes", { environment, body: Object(body) });
      }
    },
    onSettled: async () => await readAgain(environment),
  });
  if (confirm.isSuccess) return <p role="status">{texts.confirmed}</p>;
  return (
    <>
      <p>{texts.confirmText(plainText(model))}</p>
      {syncs.isLoading && <p role="status">{shell.loading}</p>}
      {(syncs.isError || confirm.isError) && <FaultBanner error={syncs.error ?? confirm.error} />}
      <ul className="rows">
        {refused.map((sync) => (
          <li key={sync.id}>
            <span className="mono">{plainText(sync.connection_id, 60)}</span>
            <span>
              {texts.refused(plainText(model), formatNumber(sync.refused_deletes[model] ?? 0))}
            </span>
          </li>
        ))}
      </ul>
      <Button
        className="button danger"
        isDisabled={refused.length === 0}
        isPending={confirm.isPending}
        onPress={() => confirm.mutate()}
      >
        {texts.confirmDeletes}
      </Button>
    </>
  );
}

/** Tries a receiver, and sends again to one that was disabled. */
export function ReceiverButtons({ problem, url }: { problem: Problem; url: string }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const test = useMutation({
    mutationFn: async () =>
      (await callApi("testWebhookReceiver", { environment, body: { url } })).data,
  });
  const enable = useMutation({
    mutationFn: async () => await callApi("enableWebhookReceiver", { environment, body: { url } }),
    onSettled: async () => await readAgain(environment),
  });
  return (
    <>
      <ScopedButton
        look="primary"
        scope="environment:webhooks:write"
        isPending={test.isPending}
        onPress={() => test.mutate()}
      >
        {texts.test}
      </ScopedButton>
      {problem.kind === "receiver_disabled" && (
        <ScopedButton
          scope="environment:webhooks:write"
          isPending={enable.isPending}
          onPress={() => enable.mutate()}
        >
          {texts.enable}
        </ScopedButton>
      )}
      <Go
        className="button"
        target={{ to: `${homeOf(environment)}/webhooks/out`, search: { url } }}
      >
        {texts.deliveries}
      </Go>
      <ReplaySince url={url} since={problem.since} />
      {(test.isError || enable.isError) && <FaultBanner error={test.error ?? enable.error} />}
      <span role="status">
        {test.data !== undefined &&
          (test.data.status === null
            ? texts.testFailed(plainText(test.data.error ?? ""))
            : texts.tested(String(test.data.status)))}{" "}
        {enable.isSuccess && texts.enabled}
      </span>
    </>
  );
}
