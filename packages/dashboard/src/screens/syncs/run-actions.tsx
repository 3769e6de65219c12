import { useMutation, useQuery } from "@tanstack/react-query";
import { callApi, isNotFound } from "../../data/api.ts";
import { operationQuery } from "../../data/operations.ts";
import { queryClient } from "../../data/query-client.ts";
import { followingRunQuery, readNewestRun, type SyncRun } from "../../data/syncs.ts";
import { Go } from "../../parts/go.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { syncRunTexts } from "../../texts/syncs/sync-run.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { pageOf as operationPageOf } from "../operations/operation-words.ts";
import { bodyOf, runPageOf, syncOf } from "./run-words.ts";

interface ShownRun {
  readonly run: SyncRun;
  readonly syncId: string;
}

/** Ends a run that is under way; of one that has ended, runs its sync again from where that is now. */
export function RunActions({ run, syncId }: ShownRun) {
  const words = useTextsOf(syncRunTexts);
  const { name: environment } = useEnvironment();
  return (
    <>
      {run.ended_at === null ? (
        <CancelButton run={run} syncId={syncId} />
      ) : (
        <ResumeButton run={run} syncId={syncId} />
      )}
      {run.operation_id !== null && (
        <Go className="button" target={operationPageOf(environment, run.operation_id)}>
          {words.openOperation}
        </Go>
      )}
    </>
  );
}

async function readAgain(environment: string, syncId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["sync-runs", environment, syncId] });
}

function CancelButton({ run, syncId }: ShownRun) {
  const { syncs: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const cancel = useMutation({
    mutationFn: async () => await callApi("cancelRun", { environment, params: { id: run.id } }),
    onSettled: async () => await readAgain(environment, syncId),
  });
  return (
    <>
      <ScopedButton
        scope="environment:syncs:execute"
        isPending={cancel.isPending}
        onPress={() => cancel.mutate()}
      >
        {texts.cancelRun}
      </ScopedButton>
      {cancel.isError && <FaultBanner error={cancel.error} />}
    </>
  );
}

function ResumeButton({ run, syncId }: ShownRun) {
  const words = useTextsOf(syncRunTexts);
  const { name: environment } = useEnvironment();
  const { data: operation, error } = useQuery({
    ...operationQuery(environment, run.operation_id ?? ""),
    enabled: run.operation_id !== null,
  });
  const sync = operation && syncOf(operation);
  const resume = useMutation({
    mutationFn: async () => {
      if (sync === undefined) throw new Error("The sync of this run is not known.");
      const newest = await readNewestRun(environment, syncId);
      await callApi("triggerSyncs", { environment, body: Object(bodyOf(sync)) });
      return newest?.id;
    },
    onSettled: async () => await readAgain(environment, syncId),
  });
  // Not while it is read, nor where reading failed.
  const isForgotten =
    run.operation_id === null ||
    isNotFound(error) ||
    (operation !== undefined && sync === undefined);
  return (
    <>
      <ScopedButton
        scope="environment:syncs:execute"
        isPending={resume.isPending}
        isDisabled={sync === undefined}
        reason={isForgotten ? words.isForgotten : undefined}
        onPress={() => resume.mutate()}
      >
        {words.resume}
      </ScopedButton>
      <span role="status">
        {resume.isSuccess && <Resumed syncId={syncId} after={resume.data} key={resume.data} />}
      </span>
      {resume.isError && <FaultBanner error={resume.error} />}
    </>
  );
}

/** The run that was asked for, once it is queued. */
function Resumed({ syncId, after }: { syncId: string; after: string | undefined }) {
  const words = useTextsOf(syncRunTexts);
  const { name: environment } = useEnvironment();
  const { data: next } = useQuery(followingRunQuery(environment, { syncId, after }));
  if (next === undefined || next === null) return words.resumed;
  return <Go target={runPageOf(environment, syncId, next.id)}>{words.openNewRun}</Go>;
}
