const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Where the value that begins at `start` ends, of which nothing is read but brackets and quotation marks; undefined
 * where it is a list or an object of more than `limit` characters. A value that does not end extends to the end.
 */
export function endOfValue(text: string, start: number, limit: number): number | undefined {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) return endOfWord(text, start);
  const until = Math.min(text.length, start + limit);
  let depth = 0;
  let at = start;
  while (at < until) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return until === text.length ? text.length : undefined;
}

/** Past the quotation mark that ends the string which begins at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let escapes = at;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
}

export function endOfBlank(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Past a number, or another word. */
function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT || isBlank(code)) break;
    at += 1;
  }
  return at;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
