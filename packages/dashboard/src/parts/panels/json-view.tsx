import { type ComponentType, lazy, type ReactNode, Suspense, useMemo } from "react";
import { CopyButton } from "../copy-button.tsx";
import { plainText } from "../formats.ts";
import type { LargeTextProps } from "../json/large-text.tsx";
import { jsonBeginning } from "./json-beginning.ts";

const MOST_CHARACTERS = 100_000;
/** Browsers lay out a block of this many characters when it is about to be seen. */
const BLOCK = 5000;

const LargeText: ComponentType<LargeTextProps> = lazy(async () => ({
  default: (await import("../json/large-text.tsx")).LargeText,
}));

/** A value as JSON, read only. What is very long is shown line by line, with a search. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => jsonBeginning(value, MOST_CHARACTERS + 1), [value]);
  const beginning = <Beginning text={text} label={label} />;
  const isLarge = text.length > MOST_CHARACTERS;
  return (
    <div className={isLarge ? "json large" : "json"}>
      {isLarge ? (
        <Suspense fallback={beginning}>
          <LargeText label={label} content={{ value }} />
        </Suspense>
      ) : (
        beginning
      )}
      <CopyButton isSmall text={() => JSON.stringify(value, undefined, 2) ?? ""} />
    </div>
  );
}

/** A text as it is, with marks that cannot be seen made visible. */
export function TextView({ text, label }: { text: string; label: string }) {
  const beginning = <Beginning text={text} label={label} />;
  if (text.length <= MOST_CHARACTERS) return beginning;
  return (
    <Suspense fallback={beginning}>
      <LargeText label={label} content={{ text }} />
    </Suspense>
  );
}

function Beginning({ text, label }: { text: string; label: string }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre className="code" tabIndex={0}>
        {blocksOf(plainText(text, MOST_CHARACTERS))}
      </pre>
    </section>
  );
}

/** A long text as blocks of lines: laying out all of it at once would hold the page up. */
function blocksOf(text: string): ReactNode {
  if (text.length <= BLOCK) return text;
  const blocks: ReactNode[] = [];
  let start = 0;
  while (start < text.length) {
    const newLine = text.indexOf("\n", start + BLOCK);
    const end = newLine === -1 ? text.length : newLine;
    blocks.push(
      <span key={start} className="block">
        {text.slice(start, end)}
      </span>,
    );
    start = end + 1;
  }
  return blocks;
}
