/** One measured figure, with what it is compared to. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly baseline?: { readonly name: string; readonly value: number };
  readonly note?: string;
  readonly bar?: Bar;
}

/** What a figure must not exceed. */
export interface Bar {
  readonly most: number;
  /** And in percent of the baseline. */
  readonly percent?: number;
}

export function missesBar({ value, baseline, bar }: BenchRow): boolean {
  if (bar === undefined) return false;
  const { most, percent = Number.POSITIVE_INFINITY } = bar;
  // Not a number: nothing was measured.
  if (!(value <= most)) return true;
  return baseline !== undefined && (100 * value) / baseline.value > percent;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
