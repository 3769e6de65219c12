import { DAY, HOUR, MINUTE } from "#foundation";

/** In which intervals webhooks of a connection come, as far as they say something about a silence. */
export interface Rhythm {
  /** Intervals by their size: each place holds those that are twice as long as those before. */
  readonly sizes: number[];
  count: number;
  /** In the current period of four weeks, and in the one before. */
  longestMs: number;
  longestBeforeMs: number;
  /** Number of the period since 1970. */
  period: number;
}

/** Webhooks that come together are one observation. */
const SHORTEST_MS = MINUTE;
const SIZES = 24;
const PERIOD_MS = 28 * DAY;
/** With fewer observations, or a shorter time, no silence is odd: weekends have to have been seen. */
const FEWEST_INTERVALS = 20;
const SHORTEST_KNOWN_MS = 14 * DAY;
const SHORTEST_QUIET_MS = HOUR;
/** Older intervals count half then. */
const MOST_INTERVALS = 1000;
const USUAL_SHARE = 0.95;
const USUAL_FACTOR = 3;
const LONGEST_FACTOR = 1.5;

export function newRhythm(): Rhythm {
  return { sizes: [], count: 0, longestMs: 0, longestBeforeMs: 0, period: 0 };
}

/** Adds an interval that ended at a time; changes the rhythm in place. */
export function addInterval(rhythm: Rhythm, intervalMs: number, endedMs: number): void {
  turnPeriod(rhythm, Math.floor(endedMs / PERIOD_MS));
  if (intervalMs < SHORTEST_MS) return;
  const size = Math.min(SIZES - 1, Math.floor(Math.log2(intervalMs / SHORTEST_MS)));
  while (rhythm.sizes.length <= size) rhythm.sizes.push(0);
  rhythm.sizes[size] = (rhythm.sizes[size] ?? 0) + 1;
  rhythm.count += 1;
  rhythm.longestMs = Math.max(rhythm.longestMs, intervalMs);
  if (rhythm.count <= MOST_INTERVALS) return;
  for (const [at, count] of rhythm.sizes.entries()) rhythm.sizes[at] = Math.floor(count / 2);
  rhythm.count = rhythm.sizes.reduce((sum, count) => sum + count, 0);
}

function turnPeriod(rhythm: Rhythm, period: number): void {
  if (period <= rhythm.period) return;
  rhythm.longestBeforeMs = period === rhythm.period + 1 ? rhythm.longestMs : 0;
  rhythm.longestMs = 0;
  rhythm.period = period;
}

/**
 * How long a silence is beyond the rhythm: three times as long as 95 of 100 intervals, and half as long again as the
 * longest of four to eight weeks. Undefined while too little is known.
 */
export function findQuietMs(
  rhythm: Rhythm,
  { firstMs, lastMs }: { firstMs: number; lastMs: number },
): number | undefined {
  if (rhythm.count < FEWEST_INTERVALS || lastMs - firstMs < SHORTEST_KNOWN_MS) return undefined;
  const longestMs = Math.max(rhythm.longestMs, rhythm.longestBeforeMs);
  const usualMs = Math.min(longestMs, findUsualMs(rhythm));
  return Math.round(
    Math.max(SHORTEST_QUIET_MS, USUAL_FACTOR * usualMs, LONGEST_FACTOR * longestMs),
  );
}

/** The upper end of the size in which the 95th of 100 intervals is. */
function findUsualMs({ sizes, count }: Rhythm): number {
  let seen = 0;
  let endMs = SHORTEST_MS;
  for (const some of sizes) {
    seen += some;
    endMs *= 2;
    if (seen >= USUAL_SHARE * count) return endMs;
  }
  return 0;
}

/** Time in which the server did not look, and so could not receive. */
export interface WatchGap {
  readonly beganMs: number;
  readonly endedMs: number;
}

/** How much of the time between two moments the server was down. */
export function awayMs(gaps: readonly WatchGap[], fromMs: number, untilMs: number): number {
  return gaps.reduce(
    (sum, { beganMs, endedMs }) =>
      sum + Math.max(0, Math.min(untilMs, endedMs) - Math.max(fromMs, beganMs)),
    0,
  );
}
