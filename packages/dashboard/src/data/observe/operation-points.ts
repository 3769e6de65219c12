import type { OperationCounts, RecordCounts } from "./metrics.ts";

/** How operations ended in one step of time. */
export interface OperationPoint {
  readonly at: string;
  readonly success: number;
  readonly bad: number;
  readonly cancelled: number;
  readonly [series: string]: string | number | null;
}

const MINUTE = 60_000;

export const stepLengths: Readonly<Record<OperationCounts["step"], number>> = {
  "1m": MINUTE,
  "5m": 5 * MINUTE,
  "15m": 15 * MINUTE,
  "1h": 60 * MINUTE,
  "6h": 6 * 60 * MINUTE,
  "1d": 24 * 60 * MINUTE,
};

/** The server leaves out steps in which nothing ended; a chart has them all. */
export function everyStep({ data, from, to, step }: OperationCounts): OperationPoint[] {
  const counted = new Map(data.map((counts) => [new Date(counts.at).getTime(), counts]));
  const points: OperationPoint[] = [];
  for (let at = new Date(from).getTime(); at < new Date(to).getTime(); at += stepLengths[step]) {
    const counts = counted.get(at);
    points.push({
      at: new Date(at).toISOString(),
      success: counts?.success ?? 0,
      bad: (counts?.failed ?? 0) + (counts?.timeout ?? 0),
      cancelled: counts?.cancelled ?? 0,
    });
  }
  return points;
}

export function totalOf({ success, bad, cancelled }: OperationPoint): number {
  return success + bad + cancelled;
}

/** Changes to records in each step, also in those without any. */
export function changesOfSteps({ data, from, to, step }: RecordCounts): number[] {
  const counted = new Map(
    data.map(({ at, added, updated, deleted }) => [Date.parse(at), added + updated + deleted]),
  );
  const values: number[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += stepLengths[step]) {
    values.push(counted.get(at) ?? 0);
  }
  return values;
}
