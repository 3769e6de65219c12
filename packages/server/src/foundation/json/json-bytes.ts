const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const LETTER_E = 0x65;

/** By byte: 1 for those of a set. */
type ByteSet = Uint8Array;

/** What may follow a backslash; `u` and its digits are apart. */
export const isEscape: ByteSet = byteSet('"\\/bfnrt');
export const isSpace: ByteSet = byteSet(" \t\n\r");

export const literals: ReadonlyMap<number, Uint8Array> = new Map(
  ["true", "false", "null"].map((text) => [text.charCodeAt(0), Buffer.from(text)]),
);

const isDigit = byteSet("0123456789");

function byteSet(characters: string): ByteSet {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) set[byte] = 1;
  return set;
}

/** Where the plain part of a text ends: at its quote, a backslash, a control character or the end. */
export function skipPlain(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) return at;
    at += 1;
  }
  return at;
}

/** Where a number that begins at `start` ends; undefined for none. */
export function skipNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const digitsAt = at;
  at = skipDigits(bytes, at, end);
  const digits = at - digitsAt;
  if (digits === 0 || (digits > 1 && bytes[digitsAt] === ZERO)) return undefined;
  if (at < end && bytes[at] === POINT) {
    const fraction = skipDigits(bytes, at + 1, end);
    if (fraction === at + 1) return undefined;
    at = fraction;
  }
  if (at >= end || ((bytes[at] ?? 0) | 0x20) !== LETTER_E) return at;
  const hasSign = at + 1 < end && (bytes[at + 1] === PLUS || bytes[at + 1] === MINUS);
  const exponentAt = at + (hasSign ? 2 : 1);
  const exponent = skipDigits(bytes, exponentAt, end);
  return exponent === exponentAt ? undefined : exponent;
}

function skipDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isDigit[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

/** The largest double has 309 digits. */
const MOST_DIGITS = 308;

/** Whether the number between the two is past what a double holds. */
export function isHuge(bytes: Uint8Array, start: number, end: number): boolean {
  let isShort = end - start <= MOST_DIGITS;
  for (let at = start; isShort && at < end; at += 1) {
    isShort = ((bytes[at] ?? 0) | 0x20) !== LETTER_E;
  }
  if (isShort) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
  return !Number.isFinite(Number(text));
}
