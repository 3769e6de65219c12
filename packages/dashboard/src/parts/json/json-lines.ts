/** Longer ones are broken: each line is laid out by itself. */
const MOST_OF_LINE = 2000;
/** A text is escaped in parts of this length, between which the page may answer. */
const PART = 64 * 1024;
/** Printing stops at this depth of the value: deeper ones are shown as a mark. */
const MOST_DEPTH = 200;

/** A line of a text, or a part of a long one. */
export interface TextLine {
  readonly text: string;
  /** Whether the next one is a part of the same line. */
  readonly isBroken: boolean;
}

/** The lines of a value's JSON, as `JSON.stringify` prints it with two spaces; each is made when it is asked for. */
export function* linesOfJson(value: unknown): Generator<TextLine> {
  const pieces = printValue(value, "");
  yield* breakLines(pieces);
}

/** The lines of a text. */
export function* linesOfText(text: string): Generator<TextLine> {
  yield* breakLines(partsOf(text));
}

function* breakLines(pieces: Iterable<string>): Generator<TextLine> {
  let line = "";
  for (const piece of pieces) {
    const [first = "", ...others] = piece.split("\n");
    line += first;
    for (const next of others) {
      line = yield* breakOff(line, 0);
      yield { text: line, isBroken: false };
      line = next;
    }
    line = yield* breakOff(line, MOST_OF_LINE);
  }
  line = yield* breakOff(line, 0);
  yield { text: line, isBroken: false };
}

/** Parts of a line until no more than a part is left, and so much; gives the rest. */
function* breakOff(line: string, kept: number): Generator<TextLine, string> {
  let start = 0;
  while (line.length - start > MOST_OF_LINE + kept) {
    const end = start + MOST_OF_LINE;
    const isPair = isHighSurrogate(line.charCodeAt(end - 1));
    const next = isPair ? end - 1 : end;
    yield { text: line.slice(start, next), isBroken: true };
    start = next;
  }
  return line.slice(start);
}

function* printValue(value: unknown, indent: string): Generator<string> {
  if (typeof value === "string") yield* printText(value);
  else if (typeof value !== "object" || value === null) yield JSON.stringify(value) ?? "";
  else if (indent.length >= 2 * MOST_DEPTH) yield "…";
  else if (Array.isArray(value)) {
    yield* printMembers(["[", "]"], indent, value.keys(), (key) => [undefined, value[key] ?? null]);
  } else {
    const own = Object(value);
    const names = Object.keys(own).filter((name) => own[name] !== undefined);
    yield* printMembers(["{", "}"], indent, names, (name) => [name, own[name]]);
  }
}

function* printMembers<Key>(
  [open, close]: readonly [string, string],
  indent: string,
  keys: Iterable<Key>,
  memberOf: (key: Key) => readonly [name: string | undefined, value: unknown],
): Generator<string> {
  const inner = `${indent}  `;
  let isFirst = true;
  yield open;
  for (const key of keys) {
    const [name, value] = memberOf(key);
    yield `${isFirst ? "" : ","}\n${inner}`;
    if (name !== undefined) yield `${JSON.stringify(name)}: `;
    yield* printValue(value, inner);
    isFirst = false;
  }
  yield isFirst ? close : `\n${indent}${close}`;
}

function* printText(text: string): Generator<string> {
  if (text.length <= PART) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (const part of partsOf(text)) yield JSON.stringify(part).slice(1, -1);
  yield '"';
}

/** Parts of a text, no character of which is cut in two. */
function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + PART;
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(start, next);
    start = next;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}
