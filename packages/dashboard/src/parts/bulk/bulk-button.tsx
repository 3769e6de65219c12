import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";
import { callApi } from "../../data/api.ts";
import { type BulkJob, type BulkWish, bulkCountQuery } from "../../data/bulk.ts";
import { queryClient } from "../../data/query-client.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { formatNumber, plainText } from "../formats.ts";
import { CodeButton, curlOf, nodeCall } from "../panels/code-panel.tsx";
import { DialogButton } from "../panels/dialog-button.tsx";
import { FaultBanner } from "../panels/fault-banner.tsx";

interface BulkProps {
  /** Nothing while something of it is missing. */
  readonly wish: BulkWish | undefined;
  readonly confirm: (count: string) => string;
  readonly isDangerous?: boolean;
  /** Queries whose lists the job changes. */
  readonly changes: readonly string[];
  readonly children?: ReactNode;
}

/** One action over what is chosen: how many it would be before, and how far it is after. */
export function BulkButton({
  label,
  title,
  scope,
  ...job
}: BulkProps & { readonly label: string; readonly title: string; readonly scope: string }) {
  const look = job.isDangerous === true ? "danger" : "";
  return (
    <DialogButton label={label} title={title} look={look} scope={scope}>
      {(close) => <Steps {...job} onEnd={close} />}
    </DialogButton>
  );
}

const WATCH_MS = 1000;

function Steps(props: BulkProps & { onEnd: () => void }) {
  const { wish, changes, children } = props;
  const { tables } = useTexts();
  const { name: environment } = useEnvironment();
  const counted = useQuery(bulkCountQuery(environment, wish));
  const begin = useMutation({
    mutationFn: async () =>
      (await callApi("startBulkJob", { environment, body: Object(wish) })).data.job,
  });
  const id = begin.data?.id ?? "";
  const { data: job = begin.data } = useQuery({
    queryKey: ["bulk", environment, id],
    queryFn: async ({ signal }) => {
      const call = { environment, params: { jobId: id }, signal };
      const { data } = await callApi("getBulkJob", call);
      if (data.state !== "running") {
        for (const name of changes) {
          await queryClient.invalidateQueries({ queryKey: [name, environment] });
        }
      }
      return data;
    },
    enabled: id !== "",
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === "running" ? WATCH_MS : false,
  });
  if (job !== undefined && job !== null) return <Progress job={job} onEnd={props.onEnd} />;
  return (
    <>
      {children}
      {(counted.error ?? begin.error) !== null && (
        <FaultBanner error={counted.error ?? begin.error} />
      )}
      <p role="status">
        {wish !== undefined && counted.data === undefined && !counted.isError && tables.counting}
        {counted.data !== undefined && tables.matched(formatNumber(counted.data))}
      </p>
      <Begin
        {...props}
        count={wish === undefined ? undefined : counted.data}
        wish={wish}
        isPending={begin.isPending}
        onBegin={() => begin.mutate()}
      />
    </>
  );
}

function Begin({
  wish,
  confirm,
  isDangerous = false,
  count,
  isPending,
  onBegin,
  onEnd,
}: Pick<BulkProps, "wish" | "confirm" | "isDangerous"> & {
  count: number | undefined;
  isPending: boolean;
  onBegin: () => void;
  onEnd: () => void;
}) {
  const { tables } = useTexts();
  const { name: environment, is_production: isProduction } = useEnvironment();
  const [typed, setTyped] = useState("");
  const asksName = isDangerous && isProduction;
  const words = confirm(count === undefined ? "…" : formatNumber(count));
  return (
    <>
      {asksName && (
        <TextField className="text-field" value={typed} onChange={setTyped} autoComplete="off">
          <Label className="label">{tables.typeToConfirm(environment)}</Label>
          <Input className="input" />
        </TextField>
      )}
      <div className="row">
        {wish !== undefined && (
          <CodeButton
            text={tables.codeOfAction}
            examples={[
              curlOf("startBulkJob", environment, { body: Object(wish) }),
              nodeCall(environment, "bulkJobs.start", wish),
            ]}
          />
        )}
        <Button className="button" onPress={onEnd}>
          {tables.cancel}
        </Button>
        <Button
          className={`button ${isDangerous ? "danger" : "primary"}`}
          isDisabled={count === undefined || count === 0 || (asksName && typed !== environment)}
          isPending={isPending}
          onPress={onBegin}
        >
          {isProduction ? tables.inEnvironment(words, environment) : words}
        </Button>
      </div>
    </>
  );
}

/** How far a job is; it continues when the dialog is closed. */
function Progress({ job, onEnd }: { job: BulkJob; onEnd: () => void }) {
  const { tables } = useTexts();
  const { name: environment } = useEnvironment();
  const ended = job.done + job.failed;
  const stop = useMutation({
    mutationFn: async () => {
      await callApi("stopBulkJob", { environment, params: { jobId: job.id } });
      await queryClient.invalidateQueries({ queryKey: ["bulk", environment, job.id] });
    },
  });
  return (
    <>
      <progress
        className="bulk-progress"
        aria-label={tables.progress}
        max={job.matched}
        value={ended}
      />
      <p role="status">
        {tables.bulkStates[job.state]}{" "}
        {tables.bulkDone(
          formatNumber(job.done),
          formatNumber(job.matched),
          job.failed === 0 ? undefined : formatNumber(job.failed),
        )}
      </p>
      {stop.isError && <FaultBanner error={stop.error} />}
      <ul className="rows">
        {job.failures.map(({ connection_id: connection, sync, code, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: failures are only added
          <li key={index}>
            <span className="mono">
              {plainText([connection, sync].filter((part) => part !== null).join(" · "), 80)}
            </span>
            <span>{plainText(`${code}: ${message}`, 300)}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        {job.state === "running" && (
          <Button className="button" isPending={stop.isPending} onPress={() => stop.mutate()}>
            {tables.stop}
          </Button>
        )}
        <Button className="button" onPress={onEnd}>
          {tables.close}
        </Button>
      </div>
    </>
  );
}
