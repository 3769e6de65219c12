import { HOUR } from "#foundation";

/** Upper bounds in milliseconds; what takes longer than the last is counted after it. */
const BOUNDS_MS: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000,
];

/** Counts that every release reads, also those that know no others. */
const COARSE_COUNTS: number = BOUNDS_MS.length + 1;

const LONGEST_MS = 24 * HOUR;
/** By how much the longest duration of a fine class exceeds its shortest: its middle is then off by 10 % at most. */
const GROWTH = 1.2;
/** A millisecond more or less is over 10 % of shorter ones, so each of these has its own class. */
const EXACT_UP_TO_MS = 10;

/** Each fine class lies within one coarse class. */
const fineClasses = newFineClasses();
const fineBounds: readonly number[] = fineClasses.map(({ upper }) => upper);

/**
 * A row counts each duration twice: by coarse class, then by fine class. Counts of a release that has coarse classes
 * only are shorter, and what they lack is zero.
 */
export const DURATION_COUNTS: number = COARSE_COUNTS + fineClasses.length;

interface FineClass {
  /** Not in it. */
  readonly lower: number;
  readonly upper: number;
  readonly coarse: number;
  readonly place: number;
}

function newFineClasses(): FineClass[] {
  const classes: FineClass[] = [];
  for (let lower = 0, coarse = 0; lower < LONGEST_MS; ) {
    const most = BOUNDS_MS[coarse] ?? LONGEST_MS;
    const wanted = lower < EXACT_UP_TO_MS ? lower + 1 : Math.floor((lower + 1) * GROWTH);
    const upper = Math.min(most, wanted);
    classes.push({ lower, upper, coarse, place: COARSE_COUNTS + classes.length });
    lower = upper;
    if (upper === most) coarse += 1;
  }
  const longer = { lower: LONGEST_MS, upper: LONGEST_MS, coarse: COARSE_COUNTS - 1 };
  return [...classes, { ...longer, place: COARSE_COUNTS + classes.length }];
}

/** Adds one operation, by its whole milliseconds, to the counts of a row. */
export function countDuration(counts: number[], durationMs: number): void {
  // A search by halves without closures, for this runs at every operation.
  let [first, last] = [0, fineBounds.length - 1];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (durationMs <= (fineBounds[middle] ?? 0)) last = middle;
    else first = middle + 1;
  }
  const found = fineClasses[first];
  if (found === undefined) return;
  counts[found.coarse] = (counts[found.coarse] ?? 0) + 1;
  counts[found.place] = (counts[found.place] ?? 0) + 1;
}

/** Without the zeros at the end, which most rows have many of. */
export function withoutEmptyEnd(counts: readonly number[]): number[] {
  return counts.slice(0, Math.max(COARSE_COUNTS, counts.findLastIndex((count) => count > 0) + 1));
}

/**
 * The duration that this share of operations does not exceed, in milliseconds: off by 10 % at most, of those under
 * 10 ms by none but that 0 is 1, and of those over a day it is a day. Where only a coarse count is known, as if they
 * were spread evenly over it; for those past its last bound it is that bound. Null without any.
 */
export function durationAt(share: number, counts: readonly (number | null)[]): number | null {
  const coarse = Array.from({ length: COARSE_COUNTS }, (_, place) => counts[place] ?? 0);
  const total = coarse.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let before = 0;
  for (const [place, count] of coarse.entries()) {
    if (count > 0 && before + count >= wanted) return within(place, wanted - before, counts);
    before += count;
  }
  return LONGEST_MS;
}

/** The duration that so many of a coarse class do not exceed. */
function within(coarse: number, wanted: number, counts: readonly (number | null)[]): number {
  const lower = BOUNDS_MS[coarse - 1] ?? 0;
  const upper = BOUNDS_MS[coarse];
  const classes = fineClasses.filter((fine) => fine.coarse === coarse);
  const known = classes.reduce((sum, { place }) => sum + (counts[place] ?? 0), 0);
  const unknown = Math.max(0, (counts[coarse] ?? 0) - known);
  // Past the last bound all that is known of them is that they exceed it.
  if (upper === undefined && wanted <= unknown) return lower;
  const perMs = upper === undefined ? 0 : unknown / (upper - lower);
  let before = upper === undefined ? unknown : 0;
  for (const fine of classes) {
    const count = (counts[fine.place] ?? 0) + perMs * (fine.upper - fine.lower);
    if (count > 0 && before + count >= wanted) {
      return perMs === 0 ? middleOf(fine) : between(fine, (wanted - before) / count);
    }
    before += count;
  }
  return upper ?? LONGEST_MS;
}

/** As far from the shortest as from the longest of a class, in proportion to each. */
function middleOf({ lower, upper }: FineClass): number {
  const shortest = lower + 1;
  return Math.min(upper, Math.round((2 * shortest * upper) / (shortest + upper)));
}

function between({ lower, upper }: FineClass, share: number): number {
  return Math.round(lower + (upper - lower) * share);
}
