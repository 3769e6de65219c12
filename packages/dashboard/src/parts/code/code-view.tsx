import { useEffect, useMemo, useRef } from "react";
import { parse } from "sugar-high/core";
import * as typescript from "sugar-high/lang/typescript";
import { CopyButton } from "../copy-button.tsx";
import { plainText } from "../formats.ts";
import { Go, type Target } from "../go.tsx";

const MOST_CHARACTERS = 300_000;

/** Links of lines, where each has an address. */
export interface LineLinks {
  /** The line of the address, from 1. */
  readonly chosen: number | undefined;
  readonly targetOf: (line: number) => Target;
  readonly labelOf: (line: number) => string;
}

/** A source of more lines has no link for each. */
const MOST_LINKS = 3000;

/** Source in the colours of its words; the text is made of spans, never of markup. */
export function CodeView({
  code,
  label,
  links,
}: {
  code: string;
  label: string;
  links?: LineLinks;
}) {
  const lines = useMemo(() => linesOf(code), [code]);
  const shown = links !== undefined && lines.length <= MOST_LINKS ? links : undefined;
  return (
    <div className="json">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="source" aria-label={label} tabIndex={0}>
        <pre>
          {lines.map((tokens, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <code className={line + 1 === links?.chosen ? "line chosen" : "line"} key={line}>
              {shown && <LineLink line={line + 1} links={shown} />}
              <Tokens tokens={tokens} />
            </code>
          ))}
        </pre>
      </section>
      <CopyButton isSmall text={() => code} />
    </div>
  );
}

/** The number of a line, as a link to it. The chosen one is scrolled to once. */
function LineLink({ line, links }: { line: number; links: LineLinks }) {
  const isChosen = line === links.chosen;
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (isChosen) place.current?.scrollIntoView({ block: "center" });
  }, [isChosen]);
  return (
    <span ref={place}>
      <Go
        className="line-number"
        target={links.targetOf(line)}
        tabIndex={isChosen ? 0 : -1}
        aria-label={links.labelOf(line)}
      >
        {String(line)}
      </Go>
    </span>
  );
}

export interface Token {
  readonly type: string;
  readonly value: string;
}

export function linesOf(code: string): readonly (readonly Token[])[] {
  return parse(plainText(code, MOST_CHARACTERS), typescript).lines.map(({ tokens }) => tokens);
}

export function Tokens({ tokens }: { tokens: readonly Token[] }) {
  return (
    <>
      {tokens.map(({ type, value }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words of a line have no other name
        <span key={place} className={`token-${type}`}>
          {value}
        </span>
      ))}
      {"\n"}
    </>
  );
}
