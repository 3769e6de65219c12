import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { countSteps } from "./pattern-cost.ts";

// With these three, compiling takes a few milliseconds once, and a check stays below one. The longest pattern of the
// catalogue has 71 characters and a program of 78 steps.
const MAX_CHARACTERS = 200;
const MAX_PROGRAM = 160;
/** Steps of the program times characters of the text. */
const MAX_WORK = 12_000;
/** A text that is no longer is always compared: a pattern without `*` cannot ask for much more. */
const ALWAYS_COMPARED = 128;

/**
 * Whether the whole text fits a field's pattern. RE2's syntax and its time, which grows with the text only:
 * patterns of custom providers come from customers. A text too long for its pattern does not fit it.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const { program } = compile(pattern);
  if (program === undefined) return false;
  const longest = Math.max(ALWAYS_COMPARED, Math.floor(MAX_WORK / program.programSize()));
  return text.length <= longest && program.matches(text);
}

/** What is wrong with a pattern: not RE2's syntax, or too expensive to compare with; undefined where nothing is. */
export function findPatternFault(pattern: string): string | undefined {
  return compile(pattern).fault;
}

interface Compiled {
  readonly program?: RE2JS;
  readonly fault?: string;
}

/** All patterns of the catalogue are less than a hundred. */
const MAX_COMPILED = 500;
// Process-wide: a program is made of its pattern alone.
const compiled = new LRUCache<string, Compiled>({ max: MAX_COMPILED });

function compile(pattern: string): Compiled {
  if (pattern.length > MAX_CHARACTERS) {
    return { fault: `it has more than ${MAX_CHARACTERS} characters` };
  }
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compileNew(pattern);
  compiled.set(pattern, made);
  return made;
}

const TOO_LARGE = `it is too large: RE2 writes repeats such as x{30} out, and may need ${MAX_PROGRAM} steps in all`;

function compileNew(pattern: string): Compiled {
  // A quoted part would hide brackets from the count.
  if (pattern.includes("\\Q")) return { fault: "it uses \\Q, which is not supported" };
  if (countSteps(pattern) > MAX_PROGRAM) return { fault: TOO_LARGE };
  try {
    const program = RE2JS.compile(pattern);
    return program.programSize() > MAX_PROGRAM ? { fault: TOO_LARGE } : { program };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
