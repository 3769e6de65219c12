import { useMemo } from "react";
import { parse } from "sugar-high/core";
import * as typescript from "sugar-high/lang/typescript";
import { CopyButton } from "../copy-button.tsx";
import { plainText } from "../formats.ts";

const MOST_CHARACTERS = 300_000;

/** Source in the colours of its words; the text is made of spans, never of markup. */
export function CodeView({ code, label }: { code: string; label: string }) {
  const lines = useMemo(() => linesOf(code), [code]);
  return (
    <div className="json">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="source" aria-label={label} tabIndex={0}>
        <pre>
          {lines.map((tokens, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <code className="line" key={line}>
              <Tokens tokens={tokens} />
            </code>
          ))}
        </pre>
      </section>
      <CopyButton isSmall text={() => code} />
    </div>
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
