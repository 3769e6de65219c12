import * as z from "zod";
import { timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { answeredPeriod, count, step, steppedPeriod } from "./metrics.ts";

/** Counts of changes to records, by time. */

const changes = {
  added: count.describe("Records that were added, or came back after they were deleted."),
  updated: count.describe("Records whose content changed."),
  deleted: count.describe("Records that were deleted."),
};

const recordCounts = z
  .strictObject({ at: timestamp.describe("When the step begins."), ...changes })
  .meta({ id: "RecordCounts", description: "Changes to records in a step." });

export const recordMetricRoutes = {
  getRecordMetrics: defineRoute({
    method: "GET",
    path: "/metrics/records",
    summary: "How many records were added, updated and deleted, over time and in total",
    principals: ["environment"],
    scope: "environment:logs:read",
    query: z.strictObject(steppedPeriod),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(recordCounts).describe("Steps in which records changed, the oldest first."),
        total: z.strictObject(changes).describe("Changes in the whole period."),
        ...answeredPeriod,
        step: step.describe("Length of a step."),
      }),
    },
    errors: ["invalid_query_params"],
    idempotent: false,
  }),
} as const;
