import { diffLines } from "diff";
import { useMemo } from "react";
import { useTexts } from "../../texts/use-texts.ts";
import { linesOf, type Token, Tokens } from "./code-view.tsx";

/** Lines around a change that are shown, too. */
const AROUND = 3;

interface DiffLine {
  readonly sign: "+" | "−" | " ";
  readonly tokens: readonly Token[];
}

/** What changed from one source to another, line by line. */
export function DiffView({
  before,
  after,
  label,
}: {
  before: string;
  after: string;
  label: string;
}) {
  const { tables } = useTexts();
  const lines = useMemo(() => differ(before, after), [before, after]);
  const shown = useMemo(() => nearChanges(lines), [lines]);
  if (shown.size === 0) return <p className="soft padded">{tables.noChange}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="source" aria-label={label} tabIndex={0}>
      <pre>
        {lines.map((line, place) =>
          shown.has(place) ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <code className={classOf(line)} key={place}>
              <span aria-hidden="true">{line.sign} </span>
              <Tokens tokens={line.tokens} />
            </code>
          ) : (
            shown.has(place - 1) && (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
              <code className="line gap" key={place}>
                {"⋯\n"}
              </code>
            )
          ),
        )}
      </pre>
    </section>
  );
}

function classOf({ sign }: DiffLine): string {
  return sign === "+" ? "line added" : sign === "−" ? "line removed" : "line";
}

function differ(before: string, after: string): DiffLine[] {
  return diffLines(before, after).flatMap(({ added, removed, value }) => {
    const sign = added ? "+" : removed ? "−" : " ";
    return linesOf(value.replace(/\n$/, "")).map((tokens) => ({ sign, tokens }) as const);
  });
}

function nearChanges(lines: readonly DiffLine[]): ReadonlySet<number> {
  const near = new Set<number>();
  for (const [place, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    for (let at = place - AROUND; at <= place + AROUND; at += 1) {
      if (at >= 0 && at < lines.length) near.add(at);
    }
  }
  return near;
}
