import { DAY, type EnvironmentContext, HOUR } from "#foundation";
import { readReplica } from "#foundation/db";
import { flushOwnMetrics } from "../flush-logs.ts";
import { durationAt } from "./durations.ts";
import {
  fillPeriod,
  type Period,
  type Step,
  steps,
  toCountedPeriod,
  toSteppedPeriod,
} from "./metric-period.ts";
import { type CountQuery, type Counts, readCounts } from "./store.ts";

const MOST_SERIES = 20;

type Filter = Pick<CountQuery, "by" | "types" | "integrations" | "functions">;

interface AskedPeriod {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

const measures = {
  operations: countOf,
  failures: ({ failed, timeout }: Counts) => failed + timeout,
  duration_avg: averageOf,
  duration_p50: ({ durations }: Counts) => durationAt(0.5, durations),
  duration_p95: ({ durations }: Counts) => durationAt(0.95, durations),
} as const;

export type Measure = keyof typeof measures;

export interface Series {
  readonly name: string | null;
  readonly is_rest: boolean;
  readonly operations: number;
  readonly points: readonly { readonly at: string; readonly value: number | null }[];
}

export interface SeriesAnswer extends Period {
  readonly step: Step;
  readonly series: readonly Series[];
}

/** One series, or one for each of the most frequent names and one for the rest; throws invalid_query_params. */
export async function readSeries(
  ctx: EnvironmentContext,
  query: Filter & AskedPeriod & { readonly of: Measure; readonly step?: Step | undefined },
): Promise<SeriesAnswer> {
  const now = ctx.clock.now();
  const period = toSteppedPeriod(fillPeriod(query, now, HOUR), query.step, now);
  const stepMs = steps[period.step];
  await flushOwnMetrics(ctx);
  const { from, to, unit, step } = period;
  const hasDurations = query.of === "duration_p50" || query.of === "duration_p95";
  const asked = { ...query, from, to, unit, stepMs, mostNames: MOST_SERIES, hasDurations };
  const rows = await readReplica(
    ctx,
    async (db) => await readCounts(db, ctx.environment.id, asked),
  );
  const measure = measures[query.of];
  const empty = query.of === "operations" || query.of === "failures" ? 0 : null;
  const series = groups(rows, query.by).map(({ name, isRest, counts }) => {
    const byTime = new Map(counts.map((row) => [row.at.getTime(), row]));
    const points: Series["points"][number][] = [];
    for (let at = from.getTime(); at < to.getTime(); at += stepMs) {
      const row = byTime.get(at);
      const value = row === undefined ? empty : measure(row);
      points.push({ at: new Date(at).toISOString(), value });
    }
    return { name, is_rest: isRest, operations: sumOf(counts), points };
  });
  return { from, to, step, series };
}

export interface Total {
  readonly name: string | null;
  readonly is_rest: boolean;
  readonly operations: number;
  readonly success: number;
  readonly failed: number;
  readonly timeout: number;
  readonly cancelled: number;
  readonly duration_avg_ms: number | null;
  readonly duration_p50_ms: number | null;
  readonly duration_p95_ms: number | null;
}

/** One total, or one for each of the most frequent names and one for the rest; throws invalid_query_params. */
export async function readTotals(
  ctx: EnvironmentContext,
  { limit, ...query }: Filter & AskedPeriod & { readonly limit: number },
): Promise<Period & { readonly totals: readonly Total[] }> {
  const now = ctx.clock.now();
  const { from, to, unit } = toCountedPeriod(fillPeriod(query, now, DAY), now);
  await flushOwnMetrics(ctx);
  // One step as long as all times, so that there is a row for each name.
  const step = { stepMs: 100_000 * DAY, mostNames: limit };
  const asked = { ...query, from, to, unit, ...step, hasDurations: true };
  const rows = await readReplica(
    ctx,
    async (db) => await readCounts(db, ctx.environment.id, asked),
  );
  const totals = groups(rows, query.by).flatMap(({ name, isRest, counts }) => {
    return counts.map((row) => toTotal(row, name, isRest));
  });
  return { from, to, totals };
}

function toTotal(row: Counts, name: string | null, isRest: boolean): Total {
  const { success, failed, timeout, cancelled, durations } = row;
  return {
    ...{ name, is_rest: isRest, operations: countOf(row), success, failed, timeout, cancelled },
    duration_avg_ms: averageOf(row),
    duration_p50_ms: durationAt(0.5, durations),
    duration_p95_ms: durationAt(0.95, durations),
  };
}

export interface HistogramAnswer extends Period {
  readonly step: Step;
  readonly counts: readonly Counts[];
}

/** Operations of each step by how they ended, the oldest first; a step without any is left out. */
export async function readHistogram(
  ctx: EnvironmentContext,
  query: Omit<Filter, "by"> & AskedPeriod & { readonly step?: Step | undefined },
): Promise<HistogramAnswer> {
  const now = ctx.clock.now();
  const period = toSteppedPeriod(fillPeriod(query, now, HOUR), query.step, now);
  await flushOwnMetrics(ctx);
  const stepMs = steps[period.step];
  const asked = { ...query, ...period, stepMs, mostNames: 1, hasDurations: false };
  return {
    ...period,
    counts: await readReplica(ctx, async (db) => await readCounts(db, ctx.environment.id, asked)),
  };
}

interface Group {
  readonly name: string | null;
  readonly isRest: boolean;
  readonly counts: readonly Counts[];
}

/** The most frequent first, the rest last. */
function groups(rows: readonly Counts[], by: CountQuery["by"]): Group[] {
  if (by === undefined) return [{ name: null, isRest: false, counts: rows }];
  return [...Map.groupBy(rows, ({ name }) => name)]
    .map(([name, counts]) => {
      return { name: name === "" ? null : (name ?? null), isRest: name === undefined, counts };
    })
    .toSorted((one, other) => {
      if (one.isRest !== other.isRest) return one.isRest ? 1 : -1;
      return sumOf(other.counts) - sumOf(one.counts);
    });
}

function sumOf(rows: readonly Counts[]): number {
  return rows.reduce((sum, row) => sum + countOf(row), 0);
}

function countOf({ success, failed, timeout, cancelled }: Counts): number {
  return success + failed + timeout + cancelled;
}

function averageOf(row: Counts): number | null {
  const count = countOf(row);
  return count === 0 ? null : Math.round(row.durationMs / count);
}
