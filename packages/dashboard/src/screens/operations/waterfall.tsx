import { useInfiniteQuery } from "@tanstack/react-query";
import { messagesQuery, type Operation } from "../../data/operations.ts";
import { formatSpan, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
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
            {bar.part === undefined ? (
              <span className="mono cut" title={titleOf(bar, texts)}>
                {plainText(bar.name, 120)}
              </span>
            ) : (
              <span className="cut">{texts.timing[bar.part]}</span>
            )}
            <svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
              <rect className="track" width="1000" height="12" />
              <rect
                className={bar.kind}
                x={bar.from * 1000}
                width={Math.max((bar.to - bar.from) * 1000, 4)}
                height="12"
              />
              {bar.held !== undefined && (
                <rect className="wait" x={bar.from * 1000} width={bar.held * 1000} height="12" />
              )}
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
  return bars.filter(({ kind }) => kind === "call" || kind === "failed").length;
}

/** The whole name of a call, and where its time went. */
function titleOf({ name, timing }: Bar, texts: Texts["operations"]): string {
  const parts =
    timing === undefined
      ? []
      : ([
          ["credentials", timing.credentials_ms],
          ["wait", timing.wait_ms],
          ["upstream", timing.upstream_ms],
          ["other", timing.other_ms],
        ] as const);
  const spent = parts
    .filter(([, milliseconds]) => milliseconds > 0)
    .map(([part, milliseconds]) => `${texts.timing[part]}: ${formatSpan(milliseconds)}`);
  return [plainText(name, 400), ...spent].join("\n");
}
