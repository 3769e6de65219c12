import * as z from "zod";
import { timestamp, wholeNumber } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { listOf, operationKind } from "./list-of.ts";

/** Counts of operations, by time and as totals. */

export const count = z.number().int();
const name = z.string().min(1).max(255);
export const step = z.enum(["1m", "5m", "15m", "1h", "6h", "1d"]);

const by = z
  .enum(["type", "integration", "function"])
  .optional()
  .describe("What to tell apart. Default: all operations together.");
const filter = {
  types: listOf(operationKind).describe(
    "Only operations of these types, each as `type` or `type:action`.",
  ),
  integrations: listOf(name).describe("Only operations about these integrations."),
  functions: listOf(name).describe("Only operations about these functions."),
};

export const steppedPeriod = {
  from: timestamp
    .optional()
    .describe("Beginning, rounded down to whole steps. Default: an hour before `to`."),
  to: timestamp.optional().describe("End, rounded up to whole steps. Default: now."),
  step: step
    .optional()
    .describe(
      "Length of a step; below `1h` for the last 15 days, others for 400 days; at most 400 steps. Default: the shortest with at most 120 steps.",
    ),
};

const answeredName = z
  .string()
  .nullable()
  .describe(
    "The type, integration or function; null for operations without one, and for the rest.",
  );
const isRest = z
  .boolean()
  .describe("Whether this entry sums up all that are not among the most frequent.");

const series = z
  .strictObject({
    name: answeredName,
    is_rest: isRest,
    operations: count.describe("Operations in the whole period."),
    points: z
      .array(
        z.strictObject({
          at: timestamp.describe("When the step begins."),
          value: z
            .number()
            .nullable()
            .describe(
              "A count, or milliseconds of a duration; null for a duration when no operation ended.",
            ),
        }),
      )
      .describe("One for each step, the oldest first."),
  })
  .meta({ id: "MetricSeries", description: "Values over time." });

const total = z
  .strictObject({
    name: answeredName,
    is_rest: isRest,
    operations: count.describe("Operations that ended in the period."),
    success: count.describe("Those that succeeded."),
    failed: count.describe("Those that failed."),
    timeout: count.describe("Those that did not end in time."),
    cancelled: count.describe("Those that were cancelled."),
    duration_avg_ms: count.nullable().describe("Mean duration in milliseconds; null without any."),
    duration_p50_ms: count
      .nullable()
      .describe("Milliseconds that half of them did not exceed, about; null without any."),
    duration_p95_ms: count
      .nullable()
      .describe("Milliseconds that 95 % of them did not exceed, about; null without any."),
  })
  .meta({ id: "MetricTotal", description: "Operations of a period, counted." });

export const answeredPeriod = {
  from: timestamp.describe("Where the period that was counted begins."),
  to: timestamp.describe("Where it ends; what ended then is not in it."),
};

const operationCounts = z
  .strictObject({
    at: timestamp.describe("When the step begins."),
    success: count.describe("Operations that succeeded in it."),
    failed: count.describe("Those that failed."),
    timeout: count.describe("Those that did not end in time."),
    cancelled: count.describe("Those that were cancelled."),
  })
  .meta({ id: "OperationCounts", description: "Operations that ended in a step, by how." });

export const metricRoutes = {
  getMetricSeries: defineRoute({
    method: "GET",
    path: "/metrics/series",
    summary: "Counts and durations of operations over time",
    principals: ["environment"],
    scope: "environment:logs:read",
    query: z.strictObject({
      of: z
        .enum(["operations", "failures", "duration_avg", "duration_p50", "duration_p95"])
        .describe(
          "What the values are: `operations` that ended; `failures`, those that failed or did not end in time; or milliseconds that they took: the mean, what half did not exceed, and what 95 % did not exceed.",
        ),
      by,
      ...filter,
      ...steppedPeriod,
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(series)
          .describe("The 20 most frequent, and the rest as one; without `by` a single one."),
        ...answeredPeriod,
        step: step.describe("Length of a step."),
      }),
    },
    errors: ["invalid_query_params"],
    idempotent: false,
  }),
  getOperationHistogram: defineRoute({
    method: "GET",
    path: "/logs/operations/histogram",
    summary: "How many operations ended, and how, over time",
    principals: ["environment"],
    scope: "environment:logs:read",
    query: z.strictObject({ ...filter, ...steppedPeriod }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(operationCounts)
          .describe("Steps in which operations ended, the oldest first."),
        ...answeredPeriod,
        step: step.describe("Length of a step."),
      }),
    },
    errors: ["invalid_query_params"],
    idempotent: false,
  }),
  getMetricTotals: defineRoute({
    method: "GET",
    path: "/metrics/totals",
    summary: "Operations of a period, counted",
    principals: ["environment"],
    scope: "environment:logs:read",
    query: z.strictObject({
      by,
      ...filter,
      from: timestamp
        .optional()
        .describe(
          "Beginning, rounded down to a minute; to an hour for a period over a day, or older than 15 days. Default: a day before `to`.",
        ),
      to: timestamp.optional().describe("End, rounded up likewise. Default: now."),
      limit: wholeNumber({ min: 1, max: 100 })
        .optional()
        .describe("Names to tell apart, 1 to 100. Default 20."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(total)
          .describe("The most frequent, and the rest as one; none when no operation ended."),
        ...answeredPeriod,
      }),
    },
    errors: ["invalid_query_params"],
    idempotent: false,
  }),
} as const;
