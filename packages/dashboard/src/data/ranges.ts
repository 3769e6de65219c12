const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Spans of time that end now; they stay relative in the address. */
export const ranges = {
  "15m": 15 * MINUTE,
  "1h": HOUR,
  "24h": 24 * HOUR,
  "7d": 7 * 24 * HOUR,
  all: undefined,
} as const;

export type Range = keyof typeof ranges;

export function isRange(word: string | undefined): word is Range {
  return word !== undefined && Object.hasOwn(ranges, word);
}

/** Where a range begins. */
export function startOf(range: Range, now: number): string | undefined {
  const span = ranges[range];
  return span === undefined ? undefined : new Date(now - span).toISOString();
}
