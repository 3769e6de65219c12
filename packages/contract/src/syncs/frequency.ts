const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A sync may not be due more often than this. */
export const MIN_FREQUENCY_MS: number = 30 * SECOND_MS;

export interface Frequency {
  readonly ms: number;
  /** As it is stored and shown: `every half hour` is `30m`, `every 5 minutes` is `5 minutes`. */
  readonly stored: string;
}

const unitMs = [
  [/^(s|secs?|seconds?)$/, SECOND_MS],
  [/^(m|mins?|minutes?)$/, MINUTE_MS],
  [/^(h|hrs?|hours?)$/, HOUR_MS],
  [/^(d|days?)$/, DAY_MS],
  [/^(w|weeks?)$/, 7 * DAY_MS],
  [/^months?$/, 30 * DAY_MS],
] as const;

/** Words with a stored form of their own. */
const words: ReadonlyMap<string, string> = new Map([
  ["quarter hour", "15m"],
  ["half hour", "30m"],
  ["half day", "12h"],
  ["hour", "1h"],
  ["day", "1d"],
  ["week", "1w"],
  ["month", "30d"],
]);

/**
 * Reads how often a sync runs: `every hour`, `every 15 minutes`, `3 week`, `30m`; undefined if it is no such text.
 * The minimum is not checked here.
 */
export function parseFrequency(text: string): Frequency | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/^every\s+/, "")
    .replace(/\s+/g, " ");
  const stored = words.get(plain) ?? plain;
  const match = /^(\d{1,6})? ?([a-z]+)$/.exec(stored);
  if (match === null) return undefined;
  const [, amount = "1", unit = ""] = match;
  const ms = unitMs.find(([pattern]) => pattern.test(unit))?.[1];
  return ms === undefined ? undefined : { ms: Number(amount) * ms, stored };
}
