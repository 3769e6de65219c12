import type { recordMetricRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { readRecordMetrics } from "./read-record-metrics.ts";

export const recordMetricHandlers = {
  getRecordMetrics: async (ctx, { query }) => {
    const { from, to, step } = query;
    const answer = await readRecordMetrics(ctx, { from: toDate(from), to: toDate(to), step });
    const total = { added: 0, updated: 0, deleted: 0 };
    for (const { added, updated, deleted } of answer.counts) {
      total.added += added;
      total.updated += updated;
      total.deleted += deleted;
    }
    return {
      data: answer.counts.map(({ at, ...changes }) => ({ at: at.toISOString(), ...changes })),
      total,
      from: answer.from.toISOString(),
      to: answer.to.toISOString(),
      step: answer.step,
    };
  },
} satisfies RouteHandlers<typeof recordMetricRoutes>;

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
