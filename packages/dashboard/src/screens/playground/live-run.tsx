import { useQuery } from "@tanstack/react-query";
import type { RunWish } from "../../data/functions/dry-runs.ts";
import { runMessagesQuery, runOperationQuery } from "../../data/functions/own-runs.ts";
import type { Operation } from "../../data/operations.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { TextView } from "../../parts/panels/json-view.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { pageOf, toneOf } from "../operations/operation-words.ts";

/** A run that was asked for. */
export interface Asked {
  readonly kind: "dry" | "real";
  readonly at: number;
  readonly wish: RunWish;
  /** What a dry run has printed so far. */
  readonly output?: string;
}

/** What a dry run prints, while it does. */
export function LiveOutput({ output }: { output: string | undefined }) {
  const texts = useTextsOf(playgroundTexts);
  if (output === undefined) return null;
  return (
    <Card title={texts.log}>
      <TextView label={texts.log} text={output} />
    </Card>
  );
}

/** The operation of a run, from its beginning on, with what it logs. */
export function LiveRun({ asked: { wish, at } }: { asked: Asked }) {
  const texts = useTextsOf(playgroundTexts);
  const { operations } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: operation } = useQuery(runOperationQuery(environment, wish, at));
  return (
    <Card
      title={texts.messages}
      actions={
        operation && (
          <span className="row">
            <Badge tone={toneOf(operation.state)}>{operations.states[operation.state]}</Badge>
            <Go target={pageOf(environment, operation.id)}>{texts.operation}</Go>
          </span>
        )
      }
    >
      {operation ? (
        <Messages operation={operation} />
      ) : (
        <p className="soft padded">{texts.notInLog}</p>
      )}
    </Card>
  );
}

const tones: Readonly<Record<string, Tone>> = {
  debug: "idle",
  info: "run",
  warn: "warn",
  error: "bad",
};

function Messages({ operation }: { operation: Operation }) {
  const { operations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(runMessagesQuery(environment, operation));
  if (query.isError) return <FaultBanner error={query.error} />;
  const messages = query.data ?? [];
  if (messages.length === 0) return <p className="soft padded">{texts.noMessages}</p>;
  return (
    <ol className="rows">
      {messages.map(({ id, level, message, created_at: at }) => (
        <li key={id}>
          <Badge tone={tones[level] ?? "idle"}>{texts.levels[level]}</Badge>
          <span className="mono">{plainText(message, 2000)}</span>
          <Time at={at} />
        </li>
      ))}
    </ol>
  );
}
