import { useInfiniteQuery } from "@tanstack/react-query";
import { messagesQuery, type Operation } from "../../data/operations.ts";
import { formatSpan, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { type Bar, layOutCalls } from "./waterfall-bars.ts";

const MOST_BARS = 60;

/** The operation's calls on a time line, from its first hundred messages. */
export function Waterfall({ operation }: { operation: Operation }) {
  const { operations: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useInfiniteQuery(messagesQuery(environment, operation.id, { order: "asc" }));
  const messages = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const { bars, milliseconds } = layOutCalls(operation, messages);
  const shown = bars.slice(0, MOST_BARS);
  return (
    <Card
      title={texts.waterfall}
      actions={
        <span className="soft">
          {bars.length > 0 && texts.waterfallText(countCalls(bars), formatSpan(milliseconds))}
        </span>
      }
    >
      {query.isLoading && <p className="soft padded">{shell.loading}</p>}
      {query.isSuccess && bars.length === 0 && <p className="soft padded">{texts.noCalls}</p>}
      <ol className="waterfall">
        {shown.map((bar) => (
          <li key={bar.id}>
            <span className="mono cut" title={plainText(bar.name, 400)}>
              {plainText(bar.name, 120)}
            </span>
            <svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
              <rect className="track" width="1000" height="12" />
              <rect
                className={bar.kind}
                x={bar.from * 1000}
                width={Math.max((bar.to - bar.from) * 1000, 4)}
                height="12"
              />
            </svg>
            <span className="number mono">{bar.answer}</span>
            <span className="number soft">{formatSpan(bar.milliseconds)}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function countCalls(bars: readonly Bar[]): number {
  return bars.filter(({ kind }) => kind !== "wait").length;
}
