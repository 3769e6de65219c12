import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";
import {
  readSessionsAgain,
  type SessionFilter,
  type StopBody,
  stoppedQuery,
} from "../../data/agents/agent-sessions.ts";
import { callApi } from "../../data/api.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { Confirmation } from "../../parts/panels/confirm-button.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { agentSessionTexts } from "../../texts/screens/agents/agent-sessions.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { SESSIONS } from "./session-words.ts";

type OwnTexts = (typeof agentSessionTexts)["english"];

interface Choice {
  readonly id: string;
  readonly text: string;
  readonly body: StopBody;
}

/** Ends sessions of a toolset, an integration, an end user or all, once it has named what ends. */
export function StopButton({ given }: { given: SessionFilter }) {
  const texts = useTextsOf(agentSessionTexts);
  return (
    <DialogButton label={texts.stop} title={texts.stopTitle} look="danger" scope={SESSIONS}>
      {(close) => <Stop given={given} onEnd={close} />}
    </DialogButton>
  );
}

function Stop({ given, onEnd }: { given: SessionFilter; onEnd: () => void }) {
  const texts = useTextsOf(agentSessionTexts);
  const { name: environment, is_production: isProduction } = useEnvironment();
  const choices = choicesOf(texts, given, environment);
  const [chosen, setChosen] = useState(choices[0]?.id ?? "all");
  const { body } = choices.find(({ id }) => id === chosen) ?? allOf(texts, environment);
  return (
    <>
      {choices.length > 1 && (
        <RadioGroup className="choices" value={chosen} onChange={setChosen}>
          <Label className="label">{texts.which}</Label>
          {choices.map(({ id, text }) => (
            <Radio key={id} className="choice" value={id}>
              {text}
            </Radio>
          ))}
        </RadioGroup>
      )}
      {choices.length === 1 && <p className="label">{choices[0]?.text}</p>}
      <div className="row">
        <CodeButton
          examples={[
            curlOf("stopAgents", environment, { body }),
            nodeOf(environment, `agent.stop(${JSON.stringify(body)})`),
          ]}
        />
      </div>
      <Confirmation
        key={chosen}
        text={<Stopped body={body} />}
        confirm={isProduction ? texts.stopNowIn(environment) : texts.stopNow}
        typed={isProduction ? { label: environment, text: environment } : undefined}
        onConfirm={async () => {
          const { data } = await callApi("stopAgents", { environment, body });
          await readSessionsAgain(environment);
          return data.ended;
        }}
        outcome={(ended) => texts.stopped(formatNumber(ended))}
        onEnd={onEnd}
      />
    </>
  );
}

/** What the page is about comes first; a stop takes one word alone. */
function choicesOf(
  texts: OwnTexts,
  { toolset, integration, end_user_id }: SessionFilter,
  environment: string,
): readonly Choice[] {
  return [
    ...(toolset === undefined
      ? []
      : [{ id: "toolset", text: texts.stopToolset(toolset), body: { toolset } }]),
    ...(end_user_id === undefined
      ? []
      : [
          {
            id: "user",
            text: texts.stopUser(plainText(end_user_id, 80)),
            body: { end_user_id },
          },
        ]),
    ...(integration === undefined
      ? []
      : [{ id: "integration", text: texts.stopIntegration(integration), body: { integration } }]),
    allOf(texts, environment),
  ];
}

function allOf(texts: OwnTexts, environment: string): Choice {
  return { id: "all", text: texts.stopAll(environment), body: { all: true } };
}

const MOST_NAMED = 5;

/** How many sessions end, and for whom they are. */
function Stopped({ body }: { body: StopBody }) {
  const { shell } = useTexts();
  const texts = useTextsOf(agentSessionTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(stoppedQuery(environment, body));
  if (query.isError) return <FaultBanner error={query.error} />;
  if (query.data === undefined) return shell.loading;
  const { data: open, next_cursor: more } = query.data;
  if (open.length === 0) return texts.stopNone;
  const byToolset = Map.groupBy(open, ({ toolset }) => toolset);
  return (
    <>
      <span>{texts.stopText(formatNumber(open.length), more !== null)}</span>
      <ul className="bullets">
        {[...byToolset].slice(0, MOST_NAMED).map(([toolset, sessions]) => (
          <li key={toolset}>
            {texts.stopWhose(
              toolset,
              usersOf(
                texts,
                sessions.map((each) => each.end_user_id),
              ),
            )}
          </li>
        ))}
        {byToolset.size > MOST_NAMED && (
          <li>{texts.andOthers(formatNumber(byToolset.size - MOST_NAMED))}</li>
        )}
      </ul>
      <span className="soft">{texts.stopLater}</span>
    </>
  );
}

function usersOf(texts: OwnTexts, given: readonly string[]): string {
  const users = [...new Set(given)];
  const named = users.slice(0, MOST_NAMED).map((user) => plainText(user, 40));
  const others = users.length - named.length;
  return [...named, ...(others > 0 ? [texts.andOthers(formatNumber(others))] : [])].join(", ");
}
