import { isUtf8 } from "node:buffer";
import { JsonFault, tooMany } from "./json-fault.ts";

/** How deep arrays and objects may stand in each other: what comes after the parser recurses. */
const MAX_DEPTH = 64;

const [
  QUOTE,
  BACKSLASH,
  OPEN_BRACE,
  CLOSE_BRACE,
  OPEN_BRACKET,
  CLOSE_BRACKET,
  UPPER_E,
  LOWER_E,
  U,
  COMMA,
] = Array.from('"\\{}[]Eeu,', (char) => char.charCodeAt(0));

/**
 * Refuses JSON that would pass the parser and break what comes after it: nested too deep for recursion, with more
 * values than the route takes, or with texts and numbers that neither Postgres nor JSON can give back. Looks at each
 * byte once, and returns a bound of how many values there are.
 */
export function scanJson(bytes: Buffer, mostValues: number): number {
  if (!isUtf8(bytes)) throw refuse("is not valid UTF-8");
  let depth = 0;
  // Every value but the first follows a comma or an opening.
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipText(bytes, at + 1);
    } else if (byte === COMMA) {
      values += 1;
      if (values > mostValues) throw tooMany("values", mostValues);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      values += 1;
      if (values > mostValues) throw tooMany("values", mostValues);
      if (depth > MAX_DEPTH) {
        throw refuse(`is nested deeper than ${MAX_DEPTH} levels (at byte ${at})`);
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
    } else if ((byte === LOWER_E || byte === UPPER_E) && isDigit(bytes[at - 1])) {
      requireFinite(bytes, at);
    }
  }
  return values;
}

/** Position of the quote that ends the text. */
function skipText(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) continue;
    at += 1;
    if (bytes[at] === U) at = skipEscape(bytes, at + 1);
  }
  return bytes.length;
}

/** Position of the last digit of `\uXXXX`, or of the second half of a pair. */
function skipEscape(bytes: Buffer, start: number): number {
  const code = hexAt(bytes, start);
  if (code === 0) throw refuse(`holds the character \\u0000 (at byte ${start})`);
  if (code >= 0xd800 && code < 0xdc00) {
    const low = bytes[start + 4] === BACKSLASH && bytes[start + 5] === U;
    const second = low ? hexAt(bytes, start + 6) : 0;
    if (second >= 0xdc00 && second < 0xe000) return start + 9;
  }
  if (code >= 0xd800 && code < 0xe000) {
    throw refuse(`holds half of a surrogate pair (at byte ${start})`);
  }
  return start + 3;
}

/** Four hex digits as a number; NaN for anything else, which the parser refuses. */
function hexAt(bytes: Buffer, start: number): number {
  let code = 0;
  for (let at = start; at < start + 4; at += 1) {
    code = code * 16 + (hexDigits[bytes[at] ?? 0] ?? Number.NaN);
  }
  return code;
}

const hexDigits = Float64Array.from({ length: 256 }, (_, byte) =>
  Number.parseInt(String.fromCharCode(byte), 16),
);

function requireFinite(bytes: Buffer, exponentAt: number): void {
  let start = exponentAt;
  let end = exponentAt + 1;
  while (isNumberPart(bytes[start - 1])) start -= 1;
  while (isNumberPart(bytes[end])) end += 1;
  const text = bytes.toString("latin1", start, end);
  if (Math.abs(Number(text)) === Infinity) {
    throw refuse(`holds a number that is too large (${text.slice(0, 40)})`);
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Digits, `+`, `-` and `.`. */
function isNumberPart(byte: number | undefined): boolean {
  return isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

function refuse(fault: string): JsonFault {
  return new JsonFault("invalid_json", `The body ${fault}.`);
}
