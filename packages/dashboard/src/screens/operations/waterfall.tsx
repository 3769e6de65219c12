import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { Button } from "react-aria-components/Button";
import { messagesQuery, type Operation } from "../../data/operations.ts";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { usePagedRows } from "../../parts/list/rows.ts";
import { Card } from "../../parts/panels/card.tsx";
import { useIsPrinting } from "../../parts/table/use-is-printing.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { type Bar, layOutCalls } from "./waterfall-bars.ts";

const BAR_HEIGHT = 28;
const BARS_AROUND = 10;

/** The operation's calls on a time line, from its messages as far as they were read. */
export function Waterfall({ operation }: { operation: Operation }) {
  const { operations: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const list = usePagedRows(messagesQuery(environment, operation.id, { order: "asc" }));
  const { bars, milliseconds } = layOutCalls(operation, list.rows);
  const isEmpty = !list.isLoading && !list.isError && bars.length === 0;
  return (
    <Card
      title={texts.waterfall}
      actions={
        <span className="soft">
          {bars.length > 0 && texts.waterfallText(countCalls(bars), formatSpan(milliseconds))}
        </span>
      }
    >
      {list.isLoading && <p className="soft padded">{shell.loading}</p>}
      {isEmpty && !list.hasMore && <p className="soft padded">{texts.noCalls}</p>}
      {bars.length > 0 && <Bars bars={bars} />}
      {list.hasMore && (
        <div className="row padded">
          <span className="soft" role="status">
            {texts.callsOf(formatNumber(list.rows.length))}
          </span>
          <Button className="button small" isPending={list.isFetching} onPress={list.readMore}>
            {texts.moreCalls}
          </Button>
        </div>
      )}
    </Card>
  );
}

/** Bars below each other, of which only those in sight are in the document. */
function Bars({ bars }: { bars: readonly Bar[] }) {
  const { operations: texts } = useTexts();
  const scroller = useRef<HTMLDivElement>(null);
  const isPrinting = useIsPrinting();
  const virtual = useVirtualizer({
    count: bars.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => BAR_HEIGHT,
    overscan: BARS_AROUND,
  });
  const inSight = virtual.getVirtualItems();
  const all = bars.map((_bar, index) => ({ index, start: index * BAR_HEIGHT }));
  const items = isPrinting ? all : inSight;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="waterfall" ref={scroller} aria-label={texts.waterfall} tabIndex={0}>
      <ol style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const bar = bars[index];
          return (
            bar !== undefined && (
              <li
                key={bar.id}
                aria-setsize={bars.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                <OneBar bar={bar} />
              </li>
            )
          );
        })}
      </ol>
    </section>
  );
}

function OneBar({ bar }: { bar: Bar }) {
  const { operations: texts } = useTexts();
  return (
    <>
      {bar.part === undefined ? (
        <span className="mono cut" title={titleOf(bar, texts)}>
          {plainText(bar.name, 120)}
        </span>
      ) : (
        <span className="cut">{partOf(bar, bar.part, texts)}</span>
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
    </>
  );
}

function partOf({ saves }: Bar, part: NonNullable<Bar["part"]>, texts: Texts["operations"]) {
  return saves === undefined ? texts.timing[part] : texts.savesOfRecords(saves);
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
