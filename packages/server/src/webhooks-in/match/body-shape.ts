import { UnreadableWebhook } from "./router.ts";

// Payloads continue to functions and customers, through parsers that give up far deeper.
const MAX_DEPTH = 256;
// A number of values costs far more than a number of bytes; the largest payloads of vendors, 25 MB, hold fewer.
const MAX_VALUES = 1_000_000;
// Slash commands and calls have some thirty.
const MAX_FIELDS = 1000;

const [QUOTE, BACKSLASH, COMMA, AMPERSAND] = [0x22, 0x5c, 0x2c, 0x26];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Throws for JSON that is too deep, or holds too much, to be parsed; looks at each byte once. */
export function requireModestJson(body: Buffer): void {
  if (body.byteLength < 2 * MAX_DEPTH) return;
  let depth = 0;
  let values = 0;
  for (let index = 0; index < body.byteLength; index += 1) {
    const mark = body[index];
    if (mark === QUOTE) index = endOfText(body, index + 1);
    else if (mark === COMMA) values += 1;
    else if (mark === OPEN_LIST || mark === OPEN_OBJECT) {
      depth += 1;
      values += 1;
    } else if (mark === CLOSE_LIST || mark === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) {
      throw new UnreadableWebhook(`the body is nested deeper than ${MAX_DEPTH}`);
    }
    if (values > MAX_VALUES) {
      throw new UnreadableWebhook(`the body holds more than ${MAX_VALUES} values`);
    }
  }
}

/** Where the quoted text that begins there ends. */
function endOfText(body: Buffer, from: number): number {
  let index = from;
  while (index < body.byteLength && body[index] !== QUOTE) {
    index += body[index] === BACKSLASH ? 2 : 1;
  }
  return index;
}

/** The fields of a form; throws for more than any vendor sends, since taking them apart is dear. */
export function readForm(body: Buffer): URLSearchParams {
  let fields = 1;
  for (let at = body.indexOf(AMPERSAND); at !== -1; at = body.indexOf(AMPERSAND, at + 1)) {
    fields += 1;
    if (fields > MAX_FIELDS) {
      throw new UnreadableWebhook(`the form has more than ${MAX_FIELDS} fields`);
    }
  }
  return new URLSearchParams(body.toString());
}
