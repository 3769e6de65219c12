import { boundText } from "./bound-value.ts";
import { MAX_TEXT_CHARACTERS } from "./redact.ts";

const MAX_META_BYTES = 99_000;

/** Cut to what is shown, and free of what Postgres cannot store. */
export function toMessage(text: string): string {
  return toStorable(boundText(text, MAX_TEXT_CHARACTERS));
}

/** JSON for a jsonb column; what is too large or not JSON is replaced by a note of that. */
export function toJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) return JSON.stringify({ omitted: "not JSON" });
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_META_BYTES) return JSON.stringify({ omitted: "larger than 99 kB", bytes });
  return unstorable.test(text) ? JSON.stringify(clean(JSON.parse(text))) : text;
}

/** JSON for a whole row that certainly needs no such care, else undefined. */
export function toSimpleJson(row: Readonly<Record<string, unknown>>): string | undefined {
  const text = stringify(row);
  // A character is three bytes in UTF-8 at most, and a column no larger than its row.
  if (text === undefined || text.length > MAX_META_BYTES / 3) return undefined;
  return unstorable.test(text) ? undefined : text;
}

// JSON.stringify escapes NUL and lone surrogates, which jsonb refuses; a hit may be a false alarm.
const unstorable = /\\u(0000|d[89a-f]..)/i;

/** Whether Postgres takes the text as it is. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return toStorable(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [toStorable(key), clean(item)]),
  );
}

function toStorable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
