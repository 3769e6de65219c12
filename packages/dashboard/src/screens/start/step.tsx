import { type ReactNode, useId } from "react";
import { Badge } from "../../parts/badge.tsx";
import { CodeButton, type CodeExample } from "../../parts/panels/code-panel.tsx";
import { startTexts } from "../../texts/screens/start.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** One of the five cards: what it does, its calls as code, and its one button. */
export function Step({
  number,
  title,
  text,
  isDone,
  isNext,
  examples,
  children,
}: {
  number: string;
  title: string;
  text: string;
  isDone: boolean;
  /** Steps after it wait, and show no more than their titles. */
  isNext: boolean;
  examples: readonly CodeExample[];
  children: ReactNode;
}) {
  const texts = useTextsOf(startTexts);
  const id = useId();
  return (
    <li className="card step" aria-labelledby={id} aria-current={isNext ? "step" : undefined}>
      <header className="card-head">
        <h2 id={id}>
          <span className="soft">{number}</span> {title}
        </h2>
        {isDone && <Badge tone="good">{texts.done}</Badge>}
        <span className="space" />
        <CodeButton examples={examples} />
      </header>
      <div className="stack padded">
        <p className="soft">{text}</p>
        {(isDone || isNext) && children}
      </div>
    </li>
  );
}
