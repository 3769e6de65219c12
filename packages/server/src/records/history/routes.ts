import type { recordHistoryRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { earliestOf, endHistory, keepHistory, listHistories } from "./keep-history.ts";
import type { RecordHistory } from "./store.ts";

export const recordHistoryHandlers = {
  listRecordHistories: async (ctx) => ({
    data: (await listHistories(ctx)).map((history) => presentHistory(ctx, history)),
  }),
  keepRecordHistory: async (ctx, { params: { model }, body: { days } }) => ({
    data: presentHistory(ctx, await keepHistory(ctx, { model, days })),
  }),
  endRecordHistory: async (ctx, { params }) => {
    await endHistory(ctx, params.model);
  },
} satisfies RouteHandlers<typeof recordHistoryRoutes>;

function presentHistory({ clock }: EnvironmentContext, history: RecordHistory) {
  const { model, days } = history;
  return { model, days, readable_from: earliestOf(history, clock.now()).toISOString() };
}
