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

/** A span of time that begins and ends at fixed moments, or has not ended. */
export interface FixedPeriod {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export type Period = Range | FixedPeriod;

export function isRange(word: string | undefined): word is Range {
  return word !== undefined && Object.hasOwn(ranges, word);
}

/** Where a period begins. */
export function startOf(period: Period, now: number): string | undefined {
  if (typeof period !== "string") return period.from;
  const span = ranges[period];
  return span === undefined ? undefined : new Date(now - span).toISOString();
}

/** Where it ends; undefined for one that does not end before now. */
export function endOf(period: Period): string | undefined {
  return typeof period === "string" ? undefined : period.to;
}
