import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { isLive } from "../live/live.ts";
import { endOf, type Period, ranges, startOf } from "../ranges.ts";

export type OperationCounts = AnswerOf<"getOperationHistogram">;
export type RecordCounts = AnswerOf<"getRecordMetrics">;
export type MetricTotal = AnswerOf<"getMetricTotals">["data"][number];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Spans that are counted; longer ones are there by the hour, for 400 days. */
export const metricRanges = {
  "1h": ranges["1h"],
  "24h": ranges["24h"],
  "7d": ranges["7d"],
  "30d": 30 * DAY,
} as const;

export type MetricRange = keyof typeof metricRanges;

export function isMetricRange(word: string | undefined): word is MetricRange {
  return word !== undefined && Object.hasOwn(metricRanges, word);
}

/** Lengths of a step that make a chart of 24 to 60 steps. */
const steps: Readonly<Record<MetricRange, "5m" | "1h" | "6h" | "1d">> = {
  "1h": "5m",
  "24h": "1h",
  "7d": "6h",
  "30d": "1d",
};

/** How often counts are read again while they are looked at: the event stream says when they have changed. */
const COUNTED_EVERY_MS = 2 * MINUTE;
const COUNTED_EVERY_LIVE_MS = 10 * MINUTE;

function periodOf(range: MetricRange): { readonly from: string; readonly to: string } {
  const now = Date.now();
  return {
    from: new Date(now - metricRanges[range]).toISOString(),
    to: new Date(now).toISOString(),
  };
}

const counted = {
  staleTime: 30 * SECOND,
  refetchInterval: () => (isLive() ? COUNTED_EVERY_LIVE_MS : COUNTED_EVERY_MS),
  placeholderData: <Data>(before: Data | undefined) => before,
} as const;

/** How many operations ended, and how, step by step. */
export function operationCountsQuery(environment: string, range: MetricRange) {
  return queryOptions({
    ...counted,
    queryKey: ["operation-counts", environment, range],
    queryFn: async ({ signal }) => {
      const query = Object({ ...periodOf(range), step: steps[range] });
      return await callApi("getOperationHistogram", { environment, query, signal });
    },
  });
}

/** How many records were added, updated and deleted, step by step and in total. */
export function recordCountsQuery(environment: string, range: MetricRange) {
  return queryOptions({
    ...counted,
    queryKey: ["record-counts", environment, range],
    queryFn: async ({ signal }) => {
      const query = Object({ ...periodOf(range), step: steps[range] });
      return await callApi("getRecordMetrics", { environment, query, signal });
    },
  });
}

/** What a period without a beginning is counted from: as far back as there are steps shorter than an hour. */
const COUNTED_BACK_MS = 15 * DAY;

/** The same for the time of a list, in the steps that the server chooses. */
export function histogramQuery(environment: string, period: Period, filter: MetricFilter) {
  return queryOptions({
    ...counted,
    queryKey: ["operation-counts", environment, period, filter],
    queryFn: async ({ signal }) => {
      const to = endOf(period) ?? new Date().toISOString();
      const earliest = new Date(Date.parse(to) - COUNTED_BACK_MS).toISOString();
      const from = startOf(period, Date.now()) ?? earliest;
      const query = Object({ ...filter, from, to });
      return await callApi("getOperationHistogram", { environment, query, signal });
    },
  });
}

/** What is counted; the words of the API. */
export interface MetricFilter {
  readonly types?: string | undefined;
  readonly integrations?: string | undefined;
  readonly functions?: string | undefined;
}

export interface SeriesWish extends MetricFilter {
  readonly of: "operations" | "failures" | "duration_avg" | "duration_p50" | "duration_p95";
  readonly by?: "type" | "integration" | "function" | undefined;
}

export type Measure = SeriesWish["of"];
export type MetricSeries = AnswerOf<"getMetricSeries">["data"][number];

export function seriesQuery(environment: string, range: MetricRange, wish: SeriesWish) {
  return queryOptions({
    ...counted,
    queryKey: ["metric-series", environment, range, wish],
    queryFn: async ({ signal }) => {
      const query = Object({ ...wish, ...periodOf(range), step: steps[range] });
      return await callApi("getMetricSeries", { environment, query, signal });
    },
  });
}

export function totalsQuery(
  environment: string,
  range: MetricRange,
  by?: SeriesWish["by"],
  filter: MetricFilter = {},
) {
  return queryOptions({
    ...counted,
    queryKey: ["metric-totals", environment, range, by, filter],
    queryFn: async ({ signal }) => {
      const query = Object({ ...filter, ...periodOf(range), ...(by === undefined ? {} : { by }) });
      return (await callApi("getMetricTotals", { environment, query, signal })).data;
    },
  });
}

/** The time just before a range, to compare with. */
function timeBefore(range: MetricRange): { readonly from: string; readonly to: string } {
  const to = Date.now() - metricRanges[range];
  return {
    from: new Date(to - metricRanges[range]).toISOString(),
    to: new Date(to).toISOString(),
  };
}

/** Changes to records in the time just before. */
export function recordsBeforeQuery(environment: string, range: MetricRange) {
  return queryOptions({
    ...counted,
    queryKey: ["record-counts", environment, range, "before"],
    queryFn: async ({ signal }) => {
      const query = Object({ ...timeBefore(range), step: steps[range] });
      return await callApi("getRecordMetrics", { environment, query, signal });
    },
  });
}

/** The same of the time just before, to compare with. */
export function totalBeforeQuery(environment: string, range: MetricRange) {
  return queryOptions({
    ...counted,
    queryKey: ["metric-totals", environment, range, "before"],
    queryFn: async ({ signal }) => {
      const query = Object(timeBefore(range));
      return (await callApi("getMetricTotals", { environment, query, signal })).data[0] ?? null;
    },
  });
}

/** Names that the API takes in one call. */
const NAMES_AT_ONCE = 20;

/** Failures of these functions or integrations within the last day, hour by hour. */
export function failuresQuery(
  environment: string,
  by: "integration" | "function",
  names: readonly string[],
) {
  return queryOptions({
    ...counted,
    queryKey: ["metric-series", environment, "failures", by, names],
    queryFn: async ({ signal }) => {
      const found = new Map<string, readonly number[]>();
      for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
        const some = names.slice(at, at + NAMES_AT_ONCE).join(",");
        const query = Object({
          of: "failures",
          by,
          [`${by}s`]: some,
          ...periodOf("24h"),
          step: "1h",
        });
        const { data } = await callApi("getMetricSeries", { environment, query, signal });
        for (const { name, points } of data) {
          if (name !== null)
            found.set(
              name,
              points.map(({ value }) => value ?? 0),
            );
        }
      }
      return found;
    },
    enabled: names.length > 0,
  });
}
