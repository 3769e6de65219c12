/** Upper bounds in milliseconds; what takes longer than the last is counted after it. */
const BOUNDS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000,
];

export const DURATION_COUNTS: number = BOUNDS_MS.length + 1;

/** In which count a duration belongs. */
export function placeOfDuration(durationMs: number): number {
  // A loop, for this runs at every operation.
  let place = 0;
  for (const bound of BOUNDS_MS) {
    if (durationMs <= bound) break;
    place += 1;
  }
  return place;
}

/**
 * The duration that this share of operations does not exceed, in milliseconds: within its count as if they were spread
 * evenly. Null without any; for those past the last bound it is that bound.
 */
export function durationAt(share: number, counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let before = 0;
  for (const [place, count] of counts.entries()) {
    if (count > 0 && before + count >= wanted) return between(place, (wanted - before) / count);
    before += count;
  }
  return BOUNDS_MS.at(-1) ?? null;
}

function between(place: number, share: number): number {
  const lower = BOUNDS_MS[place - 1] ?? 0;
  const upper = BOUNDS_MS[place] ?? lower;
  return Math.round(lower + (upper - lower) * share);
}
