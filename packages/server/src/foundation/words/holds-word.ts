import { isUtf8 } from "node:buffer";
import { Pace } from "../waiting/index.ts";

/** Base64 in base64: bytes of a request that holds base64 itself are passed on as base64. */
const MAX_LAYERS = 3;
/** After so many characters the thread is given back. */
const STEP_CHARACTERS = 64 * 1024;

/** A run that is shorter holds no word. */
const SHORTEST_RUN = 8;
// Both alphabets of RFC 4648.
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
const isInAlphabet = Uint8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.includes(String.fromCharCode(code)) ? 1 : 0,
);
// RFC 2045 breaks lines of base64 after 76 characters at most; JSON writes a line break, and some writers a slash, with a
// backslash.
const SHORTEST_LINE = 60;
const LINE_END = /\\[rn]|[\r\n]/;

/**
 * Whether a text holds one of the words in any case: as it is, encoded as in an address, or within base64 that is any
 * part of the text.
 */
export async function holdsWord(text: string, words: readonly string[]): Promise<boolean> {
  const forms = words
    .flatMap((word) => [word, encodeURIComponent(word)])
    .map((form) => form.toLowerCase());
  if (isIn(text, forms)) return true;
  const pace = new Pace(STEP_CHARACTERS);
  for (const run of listRuns(text)) {
    if (isInRun(run, forms, MAX_LAYERS)) return true;
    await pace.spend(run.length);
  }
  return false;
}

function isIn(text: string, forms: readonly string[]): boolean {
  const small = text.toLowerCase();
  return forms.some((form) => small.includes(form));
}

function isInRun(run: string, forms: readonly string[], layers: number): boolean {
  const bytes = Buffer.from(run, "base64");
  const isText = isUtf8(bytes);
  // Bytes that are no text may hold one all the same.
  const text = bytes.toString(isText ? "utf8" : "latin1");
  if (isIn(text, forms)) return true;
  if (layers === 1 || !isText) return false;
  for (const inner of listRuns(text)) {
    if (isInRun(inner, forms, layers - 1)) return true;
  }
  return false;
}

/** What may be base64; a run with slashes also in its parts, for a path of an address is no base64 but its parts may be. */
function* listRuns(text: string): Generator<string> {
  const plain = joinLines(
    text.replaceAll("\\/", "/").replaceAll(/%2b/gi, "+").replaceAll(/%2f/gi, "/"),
  );
  // By hand: a pattern that takes in megabytes at once exceeds the stack.
  let start = 0;
  for (let at = 0; at <= plain.length; at += 1) {
    if (isInAlphabet[plain.charCodeAt(at)] === 1) continue;
    const run = plain.slice(start, at);
    start = at + 1;
    if (run.length < SHORTEST_RUN) continue;
    yield run;
    if (run.includes("/")) yield* run.split("/").filter((part) => part.length >= SHORTEST_RUN);
  }
}

/** The text without the line breaks that are within base64. */
function joinLines(text: string): string {
  const lines = text.split(LINE_END).filter((line) => line !== "");
  return lines.map((line) => (isFullLine(line) ? line : `${line}\n`)).join("");
}

function isFullLine(line: string): boolean {
  if (line.length < SHORTEST_LINE) return false;
  for (let at = line.length - SHORTEST_LINE; at < line.length; at += 1) {
    if (isInAlphabet[line.charCodeAt(at)] !== 1) return false;
  }
  return true;
}
