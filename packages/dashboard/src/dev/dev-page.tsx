import type { DevFunction, DevRunSummary, DevState } from "@jackfield/contract";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { usePreferences } from "../data/preferences.ts";
import { Badge, type Tone } from "../parts/badge.tsx";
import { SingleSelect } from "../parts/filters/single-select.tsx";
import { formatSpan, plainText } from "../parts/formats.ts";
import { Card } from "../parts/panels/card.tsx";
import { Empty } from "../parts/panels/empty.tsx";
import { Time } from "../parts/time.tsx";
import { changePreferences, paintTheme, themeChoices } from "../start/stored-preferences.ts";
import { devTexts } from "../texts/screens/dev.ts";
import { playgroundTexts } from "../texts/screens/functions/playground.ts";
import { useTexts, useTextsOf } from "../texts/use-texts.ts";
import { ChoiceCard } from "./choice-card.tsx";
import { type DevLink, useDevState } from "./dev-api.ts";
import { FaultView } from "./frame-view.tsx";
import { RunView } from "./run-view.tsx";
import { useDevKeys } from "./use-dev-keys.ts";

/** The functions of a folder, and what the chosen one did each time it was saved. */
export function DevPage() {
  const texts = useTextsOf(devTexts);
  const { state, link } = useDevState();
  useEffect(() => {
    document.title = `${texts.title} · Jackfield`;
  }, [texts.title]);
  return (
    <main className="dev-page">
      <DevHead state={state} />
      {link !== "open" && <LinkNotice link={link} />}
      {state === undefined ? (
        link === "open" && <p role="status">{texts.loading}</p>
      ) : (
        <Loop state={state} />
      )}
    </main>
  );
}

const tones: Readonly<Record<DevState["activity"], Tone>> = {
  compiling: "run",
  running: "run",
  waiting: "idle",
};

function DevHead({ state }: { state: DevState | undefined }) {
  const texts = useTextsOf(devTexts);
  const { shell } = useTexts();
  const { theme } = usePreferences();
  return (
    <header className="screen-head">
      <h1>{texts.title}</h1>
      {state !== undefined && (
        <>
          <span className="mono soft">{plainText(state.folder.split(/[\\/]/).at(-1) ?? "")}</span>
          <span className="mono soft">{plainText(state.environment)}</span>
          <Badge tone={tones[state.activity]}>{texts.activities[state.activity]}</Badge>
        </>
      )}
      <span className="space" />
      <SingleSelect
        label={shell.theme}
        chosen={theme}
        choices={themeChoices.map((choice) => ({ id: choice, text: shell.themes[choice] }))}
        onChange={(chosen) => {
          const next = themeChoices.find((choice) => choice === chosen);
          if (next === undefined) return;
          changePreferences({ theme: next });
          paintTheme();
        }}
      />
    </header>
  );
}

function LinkNotice({ link }: { link: Exclude<DevLink, "open"> }) {
  const texts = useTextsOf(devTexts);
  return (
    <p className="banner warn" role="alert">
      {texts[link]}
    </p>
  );
}

function Loop({ state }: { state: DevState }) {
  const texts = useTextsOf(devTexts);
  const [picked, setPicked] = useState<string>();
  const file = picked ?? state.choice?.file;
  const own = state.functions.find((each) => each.file === file);
  const runs = state.runs.filter((run) => run.file === file);
  return (
    <>
      {state.faults.length > 0 && (
        <section aria-label={texts.faults(state.faults.length)}>
          <ul className="faults">
            {state.faults.map((fault) => (
              <FaultView
                key={`${fault.file}:${fault.line}:${fault.column}:${fault.message}`}
                fault={fault}
                folder={state.folder}
              />
            ))}
          </ul>
        </section>
      )}
      <div className="dev-columns">
        <FunctionList state={state} chosen={own} onPick={setPicked} />
        {own === undefined ? (
          <Empty title={texts.noFunctionTitle} text={texts.noFunction} />
        ) : (
          // A form of fields is made of the schema: with another one it begins again.
          <Chosen key={`${own.file} ${own.input !== undefined}`} {...{ own, state, runs }} />
        )}
      </div>
    </>
  );
}

function FunctionList({
  state,
  chosen,
  onPick,
}: {
  state: DevState;
  chosen: DevFunction | undefined;
  onPick: (file: string) => void;
}) {
  const texts = useTextsOf(devTexts);
  return (
    <nav aria-label={texts.functions} className="dev-functions">
      <ul>
        {state.functions.map((own) => {
          const last = state.runs.find((run) => run.file === own.file);
          const isWrong = state.faults.some((fault) => fault.file === own.file);
          return (
            <li key={own.file}>
              <Button
                className="quiet-button"
                aria-current={own === chosen}
                onPress={() => onPick(own.file)}
              >
                <span className="cut">{plainText(`${own.integration}/${own.name}`, 80)}</span>
                {(last !== undefined || isWrong) && (
                  <LastMark isGood={!isWrong && last?.isGood === true} />
                )}
              </Button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function LastMark({ isGood }: { isGood: boolean }) {
  const playground = useTextsOf(playgroundTexts);
  return (
    <Badge tone={isGood ? "good" : "bad"}>{isGood ? playground.success : playground.failed}</Badge>
  );
}

function Chosen({
  own,
  state,
  runs,
}: {
  own: DevFunction;
  state: DevState;
  runs: readonly DevRunSummary[];
}) {
  const newest = runs[0]?.id;
  const [looked, setLooked] = useState<{ readonly id: string; readonly newest: string }>();
  // A new run is shown by itself, also to who looks at an older one.
  const shownId = looked !== undefined && looked.newest === newest ? looked.id : newest;
  const place = runs.findIndex(({ id }) => id === shownId);
  // A webhook's run is compared with another one of a webhook.
  const before = runs.slice(place + 1).find(({ kind }) => kind === runs[place]?.kind);
  const look = (id: string | undefined) => {
    if (id !== undefined && newest !== undefined) setLooked({ id, newest });
  };
  useDevKeys({
    "[": () => look(runs[place + 1]?.id),
    "]": () => look(runs[place - 1]?.id),
  });
  return (
    <>
      <div className="stack">
        <ChoiceCard own={own} state={state} />
        <RunList runs={runs} shownId={shownId} onLook={look} />
      </div>
      {shownId !== undefined && (
        <RunView id={shownId} idBefore={before?.id} folder={state.folder} />
      )}
    </>
  );
}

function RunList({
  runs,
  shownId,
  onLook,
}: {
  runs: readonly DevRunSummary[];
  shownId: string | undefined;
  onLook: (id: string) => void;
}) {
  const texts = useTextsOf(devTexts);
  const playground = useTextsOf(playgroundTexts);
  return (
    <Card title={texts.runs}>
      {runs.length === 0 && <p className="soft padded">{texts.noRuns}</p>}
      <ol className="rows">
        {runs.map(({ id, kind, at, isGood, tookMs }) => (
          <li key={id}>
            <Button
              className="link-button"
              aria-current={id === shownId}
              onPress={() => onLook(id)}
            >
              {texts.runTitle(id)}
            </Button>
            <Badge tone={isGood ? "good" : "bad"}>
              {isGood ? playground.success : playground.failed}
            </Badge>
            {kind === "webhook" && <span className="soft">{texts.webhookRun}</span>}
            <Time at={at} />
            <span className="soft">{formatSpan(tookMs)}</span>
          </li>
        ))}
      </ol>
      <p className="soft padded">{texts.keys}</p>
    </Card>
  );
}
