import type { DevRun } from "@jackfield/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { Badge, type Tone } from "../parts/badge.tsx";
import { DiffView } from "../parts/code/diff-view.tsx";
import { formatSpan, plainText } from "../parts/formats.ts";
import { Card } from "../parts/panels/card.tsx";
import { FaultBanner } from "../parts/panels/fault-banner.tsx";
import { JsonView } from "../parts/panels/json-view.tsx";
import { devTexts } from "../texts/screens/dev.ts";
import { playgroundTexts } from "../texts/screens/functions/playground.ts";
import { useTextsOf } from "../texts/use-texts.ts";
import { devRunQuery, saveRun } from "./dev-api.ts";
import { FaultView } from "./frame-view.tsx";
import { RunTimeline } from "./run-timeline.tsx";

/** Longer texts take long to compare, and nobody reads the difference. */
const COMPARED_CHARACTERS = 200_000;

/** What a run did, and how that differs from the run before and from the recording. */
export function RunView({
  id,
  idBefore,
  folder,
}: {
  id: string;
  idBefore: string | undefined;
  folder: string;
}) {
  const texts = useTextsOf(devTexts);
  // What was shown stays until the next run is there: nothing jumps at a save.
  const query = useQuery({ ...devRunQuery(id), placeholderData: (before) => before });
  const before = useQuery({ ...devRunQuery(idBefore ?? ""), enabled: idBefore !== undefined });
  const run = query.data;
  if (query.isError) return <FaultBanner error={query.error} />;
  if (run === undefined) return null;
  return (
    <div className="stack">
      <ResultCard run={run} folder={folder} />
      <RunTimeline key={run.id} run={run} />
      <Card title={texts.changes}>
        {before.data === undefined ? (
          <p className="soft padded">{texts.noRunBefore}</p>
        ) : (
          <DiffView
            label={texts.changes}
            before={textOf(before.data.result)}
            after={textOf(run.result)}
          />
        )}
      </Card>
      {run.kept !== undefined && (
        <Card title={texts.keptChanges}>
          <DiffView
            label={texts.keptChanges}
            before={textOf(run.kept)}
            after={textOf(run.result)}
          />
        </Card>
      )}
      <LogCard run={run} />
    </div>
  );
}

function textOf(result: unknown): string {
  return (JSON.stringify(result, undefined, 2) ?? "").slice(0, COMPARED_CHARACTERS);
}

function ResultCard({ run, folder }: { run: DevRun; folder: string }) {
  const texts = useTextsOf(devTexts);
  const playground = useTextsOf(playgroundTexts);
  const { error, counts, result, notes } = run;
  const isEmpty = Object.keys(Object(result)).length === 0;
  return (
    <Card title={texts.result} actions={<SaveButton key={run.id} run={run} />}>
      <div className="stack">
        <p className="row padded" role="status">
          <Badge tone={run.isGood ? "good" : "bad"}>
            {run.isGood ? playground.success : playground.failed}
          </Badge>
          <span>{texts.took(formatSpan(run.tookMs))}</span>
          {run.sinceSaveMs !== undefined && (
            <span className="soft">{texts.sinceSave(formatSpan(run.sinceSaveMs))}</span>
          )}
          {counts.map(({ model, saved, updated, deleted }) => (
            <span key={model}>{texts.counts(plainText(model, 80), saved, updated, deleted)}</span>
          ))}
        </p>
        {error !== undefined && (
          <ul className="faults">
            <FaultView
              folder={folder}
              fault={{ ...error, message: `${error.type}: ${error.message}` }}
            />
          </ul>
        )}
        {error?.upstream !== undefined && (
          <JsonView label={texts.upstream} value={error.upstream} />
        )}
        {isEmpty ? (
          <p className="soft padded">{texts.noResult}</p>
        ) : (
          <JsonView label={texts.result} value={result} />
        )}
        {notes.map((note) => (
          <p className="soft padded" key={note}>
            {plainText(note, 400)}
          </p>
        ))}
      </div>
    </Card>
  );
}

function SaveButton({ run }: { run: DevRun }) {
  const texts = useTextsOf(devTexts);
  const saving = useMutation({ mutationFn: async () => await saveRun(run.id) });
  return (
    <span className="row">
      <span className="soft" role="status">
        {saving.data !== undefined && texts.saved(plainText(saving.data, 120))}
        {saving.error !== null && plainText(saving.error.message, 300)}
      </span>
      <Button className="button small" onPress={() => saving.mutate()}>
        {texts.save}
      </Button>
    </span>
  );
}

const tones: Readonly<Record<DevRun["log"][number]["level"], Tone>> = {
  debug: "idle",
  info: "run",
  warn: "warn",
  error: "bad",
};

function LogCard({ run: { log, logCount } }: { run: DevRun }) {
  const texts = useTextsOf(devTexts);
  return (
    <Card title={texts.log(logCount)}>
      {log.length === 0 && <p className="soft padded">{texts.noLog}</p>}
      {log.length > 0 && (
        <ol className="rows dev-log">
          {log.map(({ level, message, meta, atMs }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a run that has ended have no other name
            <li key={place}>
              <span className="soft number">{texts.after(formatSpan(atMs))}</span>
              <Badge tone={tones[level]}>{level}</Badge>
              <span className="mono">
                {plainText(message, 2000)}
                {meta !== undefined && ` ${plainText(JSON.stringify(meta), 2000)}`}
              </span>
            </li>
          ))}
        </ol>
      )}
      {logCount > log.length && <p className="soft padded">{texts.cut(log.length)}</p>}
    </Card>
  );
}
