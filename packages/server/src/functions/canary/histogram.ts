/** Values in classes that grow by 2^(1/4), so that a thousand and a million of them take the same room. */

const CLASSES_PER_DOUBLING = 4;
const MOST_BUCKETS = 200;

export interface Histogram {
  /** Values by their class. */
  readonly buckets: ReadonlyMap<number, number>;
  readonly count: number;
  readonly total: number;
}

export const emptyHistogram: Histogram = { buckets: new Map(), count: 0, total: 0 };

/** Class 0 is for nothing at all. */
export function bucketOf(value: number): number {
  if (value < 1) return 0;
  return Math.min(MOST_BUCKETS, 1 + Math.ceil(Math.log2(value) * CLASSES_PER_DOUBLING - 1e-9));
}

/** The largest value of a class. */
export function upperBoundOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.round(Math.exp(((bucket - 1) / CLASSES_PER_DOUBLING) * Math.LN2));
}

export interface Counted {
  readonly bucket: number;
  readonly count: number;
  readonly total: number;
}

export function toHistogram(counted: Iterable<Counted>): Histogram {
  const buckets = new Map<number, number>();
  let [count, total] = [0, 0];
  for (const each of counted) {
    buckets.set(each.bucket, (buckets.get(each.bucket) ?? 0) + each.count);
    count += each.count;
    total += each.total;
  }
  return { buckets, count, total };
}

/** An upper bound of the quantile; undefined without values. */
export function quantileOf({ buckets, count }: Histogram, share: number): number | undefined {
  const wanted = Math.ceil(count * share);
  let passed = 0;
  for (const [bucket, own] of [...buckets].toSorted(([a], [b]) => a - b)) {
    passed += own;
    if (passed >= wanted && wanted > 0) return upperBoundOf(bucket);
  }
  return undefined;
}

/** How many values are in classes above that of the limit. */
export function countAbove({ buckets }: Histogram, limit: number): number {
  const last = bucketOf(limit);
  let above = 0;
  for (const [bucket, count] of buckets) if (bucket > last) above += count;
  return above;
}
