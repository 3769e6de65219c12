import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import { formatSpan } from "../formats.ts";
import { useIsPrinting } from "../table/use-is-printing.ts";
import type { Bar } from "./bar.ts";

const BAR_HEIGHT = 28;
const BARS_AROUND = 10;
/** Thousandths of the line; a shorter bar is as wide, so that it can be seen. */
const LEAST_WIDTH = 4;
const MOMENT_WIDTH = 10;

/** Bars below each other, of which only those in sight are in the document. */
export function Bars<Own extends Bar>({
  label,
  bars,
  nameOf,
}: {
  label: string;
  bars: readonly Own[];
  nameOf: (bar: Own) => ReactNode;
}) {
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
    <section className="waterfall" ref={scroller} aria-label={label} tabIndex={0}>
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
                {nameOf(bar)}
                <BarLine bar={bar} />
              </li>
            )
          );
        })}
      </ol>
    </section>
  );
}

function BarLine({ bar: { kind, from, to, held, answer, milliseconds } }: { bar: Bar }) {
  const least = milliseconds === undefined ? MOMENT_WIDTH : LEAST_WIDTH;
  // What is short and at the very end would be drawn past the line.
  const x = Math.min(from * 1000, 1000 - least);
  return (
    <>
      <svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
        <rect className="track" width="1000" height="12" />
        <rect className={kind} x={x} width={Math.max((to - from) * 1000, least)} height="12" />
        {held !== undefined && <rect className="wait" x={x} width={held * 1000} height="12" />}
      </svg>
      <span className="number mono">{answer}</span>
      <span className="number soft">{milliseconds !== undefined && formatSpan(milliseconds)}</span>
    </>
  );
}
