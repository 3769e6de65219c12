/** A text that a pattern takes: of each choice the first, of each repetition the fewest. */
export function sampleText(pattern: string): string {
  const reader = { source: pattern.replace(/^\^|\$$/g, ""), at: 0 };
  return readChoice(reader);
}

interface Reader {
  readonly source: string;
  at: number;
}

function readChoice(reader: Reader): string {
  let first: string | undefined;
  for (;;) {
    const read = readSequence(reader);
    first ??= read;
    if (reader.source[reader.at] !== "|") return first;
    reader.at += 1;
  }
}

function readSequence(reader: Reader): string {
  let text = "";
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at] ?? "")) {
    const atom = readAtom(reader);
    text += atom.repeat(readLeast(reader));
  }
  return text;
}

function readAtom(reader: Reader): string {
  const char = reader.source[reader.at] ?? "";
  reader.at += 1;
  if (char === "(") {
    if (reader.source.startsWith("?:", reader.at)) reader.at += 2;
    const inner = readChoice(reader);
    reader.at += 1;
    return inner;
  }
  if (char === "[") return readClass(reader);
  if (char === "\\") return readEscape(reader);
  return char === "." ? "a" : char;
}

function readEscape(reader: Reader): string {
  const char = reader.source[reader.at] ?? "";
  reader.at += 1;
  if (char === "d") return "1";
  return char === "w" ? "a" : char;
}

/** The first member; of a negated class a letter or digit that it does not name. */
function readClass(reader: Reader): string {
  const end = reader.source.indexOf("]", reader.at + 1);
  const body = reader.source.slice(reader.at, end);
  reader.at = end + 1;
  if (body.startsWith("^")) {
    return [..."a1-x"].find((char) => !body.slice(1).includes(char)) ?? "a";
  }
  const first = body.startsWith("\\") ? (body[1] ?? "") : (body[0] ?? "");
  if (body.startsWith("\\d")) return "1";
  return body.startsWith("\\w") ? "a" : first;
}

function readLeast(reader: Reader): number {
  const char = reader.source[reader.at];
  if (char === "?" || char === "*") {
    reader.at += 1;
    return 0;
  }
  if (char === "+") {
    reader.at += 1;
    return 1;
  }
  const counted = /^\{(\d+)(?:,\d*)?\}/.exec(reader.source.slice(reader.at));
  if (counted === null) return 1;
  reader.at += counted[0].length;
  return Number(counted[1]);
}
