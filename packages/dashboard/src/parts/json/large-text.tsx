import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Turns } from "../../data/json/turns.ts";
import { largeTexts } from "../../texts/screens/lists/large-text.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { SearchBox } from "../filters/search-box.tsx";
import { formatNumber, plainText } from "../formats.ts";
import { useIsPrinting } from "../table/use-is-printing.ts";
import { findLines } from "./find-lines.ts";
import { linesOfJson, linesOfText, type TextLine } from "./json-lines.ts";

export interface LargeTextProps {
  readonly label: string;
  /** A text, or what is shown as JSON. */
  readonly content: { readonly text: string } | { readonly value: unknown };
}

const LINE_HEIGHT = 18;
const LINES_AROUND = 20;
const AT_ONCE = 256;
const MOST_PRINTED = 1000;

/** A text of megabytes: only the lines in sight are in the document, and all of it can be searched. */
export function LargeText({ label, content }: LargeTextProps) {
  const texts = useTextsOf(largeTexts);
  const { lines, isWhole } = useLines(content);
  const [words, setWords] = useState("");
  const found = useFound(lines, isWhole, words);
  const [current, setCurrent] = useState(0);
  const go = (by: 1 | -1) => {
    if (found.length > 0) setCurrent((before) => (before + by + found.length) % found.length);
  };
  const search = (next: string) => {
    // Enter leads on where these words were looked for already.
    if (next === words) return go(1);
    setWords(next);
    setCurrent(0);
  };
  const at = words === "" ? undefined : found[current];
  return (
    <section className="large-text" aria-label={label}>
      <search
        className="row padded"
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !event.shiftKey) return;
          event.preventDefault();
          go(-1);
        }}
      >
        <SearchBox label={texts.search} value={words} onSearch={search} />
        <Button className="button small" isDisabled={at === undefined} onPress={() => go(-1)}>
          {texts.previous}
        </Button>
        <Button className="button small" isDisabled={at === undefined} onPress={() => go(1)}>
          {texts.next}
        </Button>
        <span className="soft" role="status">
          {statusOf()}
        </span>
      </search>
      <Lines label={label} lines={lines} words={words} at={at} />
    </section>
  );

  function statusOf(): string {
    if (!isWhole) return texts.reading(formatNumber(lines.length));
    if (words === "") return texts.lines(formatNumber(lines.length));
    if (at === undefined) return texts.notFound;
    return texts.found(formatNumber(current + 1), formatNumber(found.length));
  }
}

function Lines({
  label,
  lines,
  words,
  at,
}: {
  label: string;
  lines: readonly TextLine[];
  words: string;
  /** The line that the search is at. */
  at: number | undefined;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const isPrinting = useIsPrinting();
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: LINES_AROUND,
  });
  const { scrollToIndex } = virtual;
  useEffect(() => {
    if (at !== undefined) scrollToIndex(at, { align: "center" });
  }, [at, scrollToIndex]);
  const items = isPrinting
    ? lines.slice(0, MOST_PRINTED).map((_line, index) => ({ index, start: index * LINE_HEIGHT }))
    : virtual.getVirtualItems();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="code lines" ref={scroller} aria-label={label} tabIndex={0}>
      <div style={{ height: `${virtual.getTotalSize()}px` }}>
        {items.map(({ index, start }) => (
          <code
            key={index}
            className={index === at ? "current" : undefined}
            style={{ transform: `translateY(${start}px)` }}
          >
            <Marked text={lines[index]?.text ?? ""} words={words} />
          </code>
        ))}
      </div>
    </section>
  );
}

/** A line with the words that were looked for. */
function Marked({ text, words }: { text: string; words: string }): ReactNode {
  const most = text.length;
  const place = words === "" ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  if (place === -1) return plainText(text, most);
  const end = place + words.length;
  return (
    <>
      {plainText(text.slice(0, place), most)}
      <mark>{plainText(text.slice(place, end), most)}</mark>
      {plainText(text.slice(end), most)}
    </>
  );
}

/** Lines as far as they were made, in short tasks between which the page answers. */
function useLines(content: LargeTextProps["content"]) {
  const [state, setState] = useState<{ lines: readonly TextLine[]; isWhole: boolean }>(nothing);
  const subject = "text" in content ? content.text : content.value;
  const isText = "text" in content;
  useEffect(() => {
    const stop = new AbortController();
    const source =
      isText && typeof subject === "string" ? linesOfText(subject) : linesOfJson(subject);
    void readAll(source, stop.signal, setState);
    return () => stop.abort();
  }, [subject, isText]);
  return state;
}

const nothing = { lines: [], isWhole: false };

async function readAll(
  source: Iterable<TextLine>,
  signal: AbortSignal,
  onRead: (state: { lines: readonly TextLine[]; isWhole: boolean }) => void,
): Promise<void> {
  const lines: TextLine[] = [];
  const turns = new Turns();
  for (const line of source) {
    lines.push(line);
    if (lines.length % AT_ONCE !== 0) continue;
    // The first lines at once; a copy of many would take longer than making them.
    if (lines.length === AT_ONCE) onRead({ lines: [...lines], isWhole: false });
    await turns.letOthersRun();
    if (signal.aborted) return;
  }
  onRead({ lines, isWhole: true });
}

function useFound(lines: readonly TextLine[], isWhole: boolean, words: string): readonly number[] {
  const [found, setFound] = useState<readonly number[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    if (isWhole) {
      void findLines(lines, words, stop.signal).then((places) => {
        if (places !== undefined) setFound(places);
      });
    }
    return () => stop.abort();
  }, [lines, isWhole, words]);
  return found;
}
