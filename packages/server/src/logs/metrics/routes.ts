import type { metricRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { readHistogram, readSeries, readTotals } from "./read-metrics.ts";

const DEFAULT_TOTALS = 20;

export const metricHandlers = {
  getMetricSeries: async (ctx, { query }) => {
    const { from, to, ...rest } = query;
    const answer = await readSeries(ctx, { ...rest, from: toDate(from), to: toDate(to) });
    return {
      data: [...answer.series].map((series) => ({ ...series, points: [...series.points] })),
      from: answer.from.toISOString(),
      to: answer.to.toISOString(),
      step: answer.step,
    };
  },
  getOperationHistogram: async (ctx, { query }) => {
    const { from, to, ...rest } = query;
    const answer = await readHistogram(ctx, { ...rest, from: toDate(from), to: toDate(to) });
    return {
      data: answer.counts.map(({ at, success, failed, timeout, cancelled }) => {
        return { at: at.toISOString(), success, failed, timeout, cancelled };
      }),
      from: answer.from.toISOString(),
      to: answer.to.toISOString(),
      step: answer.step,
    };
  },
  getMetricTotals: async (ctx, { query }) => {
    const { from, to, limit = DEFAULT_TOTALS, ...rest } = query;
    const period = { from: toDate(from), to: toDate(to) };
    const answer = await readTotals(ctx, { ...rest, ...period, limit });
    return {
      data: [...answer.totals],
      from: answer.from.toISOString(),
      to: answer.to.toISOString(),
    };
  },
} satisfies RouteHandlers<typeof metricRoutes>;

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
