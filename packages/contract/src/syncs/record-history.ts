import * as z from "zod";
import { timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Models of which earlier versions of records are kept. */

const model = z
  .string()
  .max(255)
  .regex(
    /^[A-Z][a-zA-Z0-9_-]*$/,
    "must start with a capital letter; letters, digits, _ and - follow",
  )
  .describe("Model, of every connection and of every variant.")
  .meta({ examples: ["Contact"] });

const days = z
  .number()
  .int()
  .min(1)
  .max(90)
  .describe("How long an earlier version of a record is kept after it was replaced, 1 to 90 days.");

const history = z
  .strictObject({
    model,
    days,
    readable_from: timestamp.describe(
      "The earliest moment that `as_of` of `GET /records` can name now.",
    ),
  })
  .meta({
    id: "RecordHistory",
    description: "Earlier versions of the records of a model, as they were at a moment.",
  });

const params = z.strictObject({ model });

export const recordHistoryRoutes = {
  listRecordHistories: defineRoute({
    method: "GET",
    path: "/records/history",
    summary: "List the models whose records can be read as they were at a moment",
    principals: ["environment"],
    scope: "environment:records:read",
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(history).describe("The models, by name; at most 50."),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  keepRecordHistory: defineRoute({
    method: "PUT",
    path: "/records/history/{model}",
    summary: "Keep earlier versions of a model's records from now on, or for another time",
    principals: ["environment"],
    scope: "environment:records:write",
    params,
    body: z.strictObject({ days }).meta({ id: "KeptRecordHistory", examples: [{ days: 30 }] }),
    success: {
      status: 200,
      schema: z.strictObject({ data: history.describe("The history that is kept.") }),
    },
    errors: ["conflict", "resource_capped"],
    idempotent: false,
  }),
  endRecordHistory: defineRoute({
    method: "DELETE",
    path: "/records/history/{model}",
    summary: "Keep no earlier versions of a model's records, and remove those that are kept",
    principals: ["environment"],
    scope: "environment:records:write",
    params,
    success: { status: 204 },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
