import { setImmediate } from "node:timers/promises";
import { isEscape, isHuge, isSpace, literals, skipNumber, skipPlain } from "./json-bytes.ts";

interface JsonRules {
  /** Objects and arrays inside each other; at most 4096. */
  readonly maxDepth: number;
  /** Objects, arrays, members and items; as many as there are unless given. */
  readonly maxValues?: number;
  /** Member of the outermost object whose place is wanted; ASCII without escapes. */
  readonly member?: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface JsonShape {
  readonly isObject: boolean;
  readonly depth: number;
  readonly values: number;
  /** Position of the value of `member`; undefined unless it is there exactly once. */
  readonly member: Span | undefined;
  readonly oddities: JsonOddities;
}

/** Valid JSON that not every reader can give back; places of the first of each, undefined where there is none. */
export interface JsonOddities {
  /** The digits of an escape of U+0000, which Postgres cannot store. */
  readonly nulAt: number | undefined;
  /** The digits of an escape of half a surrogate pair, which Postgres cannot store. */
  readonly halfPairAt: number | undefined;
  /** A number past what a double holds. */
  readonly hugeNumber: Span | undefined;
}

/** Where a text breaks a rule or stops being JSON, and the shape of the part before. */
export interface JsonBreak {
  readonly reason: "not JSON" | "too deep" | "too many values";
  readonly at: number;
  /** Until there. */
  readonly values: number;
  readonly oddities: JsonOddities;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const MAX_OPEN = 4096;
/** What closes each container that is open; shared by all scans that go through at once. */
// Process-wide: a scan that uses it ends before another begins.
const sharedContainers = new Uint8Array(MAX_OPEN);
/** Values after which a long scan lets others have the thread. */
const VALUES_OF_STEP = 50_000;
/** Texts up to this size are scanned at once. */
const STEPPED_BYTES = 1024 * 1024;

/**
 * The shape of a JSON text (RFC 8259); undefined for what is none or breaks a rule. It builds no values,
 * so that a megabyte costs a few milliseconds regardless of its content. It does not check the UTF-8.
 */
export function scanJson(bytes: Uint8Array, rules: JsonRules, span?: Span): JsonShape | undefined {
  const found = explainJson(bytes, rules, span);
  return "reason" in found ? undefined : found;
}

/** `scanJson` for callers that report to the sender what is wrong. */
export function explainJson(
  bytes: Uint8Array,
  rules: JsonRules,
  span: Span = wholeOf(bytes),
): JsonShape | JsonBreak {
  const scanner = new Scanner(bytes, rules, span, sharedContainers);
  while (!scanner.step(Number.POSITIVE_INFINITY));
  return scanner.found;
}

/** `scanJson` for a text of any size: of a long one the thread is given back in between. */
export async function scanLongJson(
  bytes: Uint8Array,
  rules: JsonRules,
  span: Span = wholeOf(bytes),
): Promise<JsonShape | undefined> {
  if (span.end - span.start <= STEPPED_BYTES) return scanJson(bytes, rules, span);
  const scanner = new Scanner(bytes, rules, span, new Uint8Array(MAX_OPEN));
  while (!scanner.step(VALUES_OF_STEP)) await setImmediate();
  return "reason" in scanner.found ? undefined : scanner.found;
}

function wholeOf(bytes: Uint8Array): Span {
  return { start: 0, end: bytes.byteLength };
}

class Scanner {
  readonly #bytes: Uint8Array;
  readonly #rules: JsonRules;
  readonly #end: number;
  #at: number;
  #depth = 0;
  #deepest = 0;
  #values = 0;
  #memberStart = -1;
  #memberEnd = -1;
  #memberCount = 0;
  #hasEscape = false;
  #nulAt: number | undefined;
  #halfPairAt: number | undefined;
  #hugeNumber: Span | undefined;
  #isObject = false;
  #isTooDeep = false;
  #isOverfull = false;
  #isWhole = false;
  readonly #open: Uint8Array;

  constructor(bytes: Uint8Array, rules: JsonRules, { start, end }: Span, open: Uint8Array) {
    this.#bytes = bytes;
    this.#rules = rules;
    this.#at = start;
    this.#end = end;
    this.#open = open;
    this.#skipSpace();
    this.#isObject = this.#next() === OPEN_OBJECT;
  }

  /** Scans up to this many more values; returns whether the scan is over. */
  step(values: number): boolean {
    const { maxValues = Number.POSITIVE_INFINITY } = this.#rules;
    const until = this.#values + values;
    for (;;) {
      this.#isOverfull = this.#values >= maxValues;
      if (this.#isOverfull) return true;
      if (this.#values >= until) return false;
      this.#values += 1;
      const isInside = this.#takeValue();
      if (isInside === undefined) return true;
      if (!isInside && !this.#goOn()) {
        this.#skipSpace();
        this.#isWhole = this.#depth === 0 && this.#at === this.#end;
        return true;
      }
      if (this.#open[this.#depth - 1] === CLOSE_OBJECT && !this.#takeName()) return true;
    }
  }

  /** When the scan is over. */
  get found(): JsonShape | JsonBreak {
    const oddities = {
      nulAt: this.#nulAt,
      halfPairAt: this.#halfPairAt,
      hugeNumber: this.#hugeNumber,
    };
    const values = this.#values;
    if (!this.#isWhole) return { reason: this.#reason(), at: this.#at, values, oddities };
    return {
      isObject: this.#isObject,
      depth: this.#deepest,
      values,
      member:
        this.#memberCount === 1 ? { start: this.#memberStart, end: this.#memberEnd } : undefined,
      oddities,
    };
  }

  #reason(): JsonBreak["reason"] {
    if (this.#isTooDeep) return "too deep";
    return this.#isOverfull ? "too many values" : "not JSON";
  }

  /** The byte at hand; -1 at the end. */
  #next(): number {
    return this.#at < this.#end ? (this.#bytes[this.#at] ?? -1) : -1;
  }

  /** Whether the value is a container with something in it, which now comes; undefined for no value. */
  #takeValue(): boolean | undefined {
    const first = this.#next();
    if (first === QUOTE) return this.#takeText() ? false : undefined;
    if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
      return this.#takeScalar(first) ? false : undefined;
    }
    this.#isTooDeep = this.#depth === this.#rules.maxDepth;
    if (this.#isTooDeep) return undefined;
    const close = first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
    this.#open[this.#depth] = close;
    this.#depth += 1;
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
    this.#at += 1;
    this.#skipSpace();
    return this.#next() !== close;
  }

  /** After a value: closes what ends here. Whether another value, or a name, now comes. */
  #goOn(): boolean {
    while (this.#depth > 0) {
      if (this.#depth === 1 && this.#memberEnd === -1) this.#memberEnd = this.#at;
      this.#skipSpace();
      const next = this.#next();
      if (next === COMMA) {
        this.#at += 1;
        this.#skipSpace();
        return true;
      }
      if (next !== this.#open[this.#depth - 1]) return false;
      this.#at += 1;
      this.#depth -= 1;
    }
    return false;
  }

  #takeName(): boolean {
    const start = this.#at;
    this.#hasEscape = false;
    if (this.#next() !== QUOTE || !this.#takeText()) return false;
    const isWanted = this.#depth === 1 && this.#isMember(start);
    this.#skipSpace();
    if (this.#next() !== COLON) return false;
    this.#at += 1;
    this.#skipSpace();
    if (isWanted) {
      this.#memberCount += 1;
      this.#memberStart = this.#at;
      this.#memberEnd = -1;
    }
    return true;
  }

  #isMember(start: number): boolean {
    const { member } = this.#rules;
    if (member === undefined) return false;
    const length = this.#at - start - 2;
    if (!this.#hasEscape && length !== member.length) return false;
    const name = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, length + 2);
    if (this.#hasEscape) return JSON.parse(name.toString()) === member;
    return name.toString("latin1", 1, length + 1) === member;
  }

  #takeText(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at + 1;
    for (;;) {
      at = skipPlain(bytes, at, end);
      if (at >= end) return false;
      if (bytes[at] === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (bytes[at] !== BACKSLASH) return false;
      this.#hasEscape = true;
      const size = this.#escapeSize(at);
      if (size === 0 || at + size > end) return false;
      at += size;
    }
  }

  /** Bytes of the escape at `at`, of both halves of a pair; 0 for none. */
  #escapeSize(at: number): number {
    if (isEscape[this.#bytes[at + 1] ?? 0] === 1) return 2;
    const unit = this.#codeUnit(at);
    if (unit === undefined) return 0;
    const isHigh = unit >= 0xd800 && unit < 0xdc00;
    const low = isHigh ? this.#codeUnit(at + 6) : undefined;
    if (low !== undefined && low >= 0xdc00 && low < 0xe000) return 12;
    // The digits follow the backslash and the letter.
    if (unit === 0) this.#nulAt ??= at + 2;
    if (unit >= 0xd800 && unit < 0xe000) this.#halfPairAt ??= at + 2;
    return 6;
  }

  /** What `\uXXXX` stands for. */
  #codeUnit(at: number): number | undefined {
    if (at + 6 > this.#end) return undefined;
    if (this.#bytes[at] !== BACKSLASH || this.#bytes[at + 1] !== LETTER_U) return undefined;
    let unit = 0;
    for (let n = at + 2; n < at + 6; n += 1) {
      const digit = hexValue(this.#bytes[n] ?? 0);
      if (digit === -1) return undefined;
      unit = unit * 16 + digit;
    }
    return unit;
  }

  #takeScalar(first: number): boolean {
    const literal = literals.get(first);
    if (literal === undefined) {
      const end = skipNumber(this.#bytes, this.#at, this.#end);
      if (end === undefined) return false;
      if (this.#hugeNumber === undefined && isHuge(this.#bytes, this.#at, end)) {
        this.#hugeNumber = { start: this.#at, end };
      }
      this.#at = end;
      return true;
    }
    const end = this.#at + literal.byteLength;
    if (end > this.#end) return false;
    for (const [index, byte] of literal.entries()) {
      if (this.#bytes[this.#at + index] !== byte) return false;
    }
    this.#at = end;
    return true;
  }

  #skipSpace(): void {
    let at = this.#at;
    const bytes = this.#bytes;
    while (at < this.#end && isSpace[bytes[at] ?? 0] === 1) at += 1;
    this.#at = at;
  }
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
