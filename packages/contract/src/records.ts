import * as z from "zod";
import {
  connectionId,
  functionName,
  integrationKey,
  modelName,
  timestamp,
  wholeNumber,
} from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Records that syncs have saved. Source: HTTP contract 2.7; decisions 35. */

const recordMetadata = z.strictObject({
  first_seen_at: z.string(),
  last_modified_at: z.string(),
  last_action: z.enum(["ADDED", "UPDATED", "DELETED"]),
  deleted_at: z.string().nullable(),
  pruned_at: z.string().nullable(),
  cursor: z.string(),
});

const filterWord = z.enum(["added", "updated", "deleted"]);

export const recordRoutes = {
  listRecords: defineRoute({
    method: "GET",
    path: "/records",
    summary: "List the records of a model in the order in which they last changed",
    principals: ["environment"],
    scope: "environment:records:read",
    headers: z.looseObject({
      "connection-id": connectionId,
      "provider-config-key": integrationKey,
    }),
    query: z.strictObject({
      model: modelName,
      variant: functionName.optional(),
      modified_after: timestamp.optional(),
      limit: wholeNumber({ min: 1, max: 10_000 }).optional(),
      filter: z
        .string()
        .transform((text) => text.toLowerCase().split(","))
        .pipe(z.array(filterWord).min(1))
        .optional(),
      cursor: z.string().min(1).max(1000).optional(),
      ids: z
        .union([z.string(), z.array(z.string())])
        .transform((ids) => [ids].flat())
        .pipe(z.array(z.string().min(1).max(256)).max(100))
        .optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        records: z.array(z.looseObject({ id: z.string(), _svc_metadata: recordMetadata })),
        next_cursor: z.string().nullable(),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
    ],
    idempotent: false,
    raw: true,
  }),
} as const;
