import { Turns } from "../../data/json/turns.ts";
import type { TextLine } from "./json-lines.ts";

/** Looked through between two looks at the clock. */
const AT_ONCE = 256;

/** Places of the lines that have these words, in any case; undefined when it was given up. */
export async function findLines(
  lines: readonly TextLine[],
  words: string,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  const wanted = words.toLowerCase();
  const found: number[] = [];
  if (wanted === "") return found;
  const turns = new Turns();
  for (const [place, { text, isBroken }] of lines.entries()) {
    if (place % AT_ONCE === 0) {
      await turns.letOthersRun();
      if (signal.aborted) return undefined;
    }
    // Words may begin in this part of a line and end in the next one.
    const rest = isBroken ? (lines[place + 1]?.text.slice(0, words.length - 1) ?? "") : "";
    if (`${text}${rest}`.toLowerCase().includes(wanted)) found.push(place);
  }
  return found;
}
