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

/** Records that syncs have saved. */

const recordMetadata = z.strictObject({
  first_seen_at: z.string(),
  last_modified_at: z.string(),
  last_action: z.enum(["ADDED", "UPDATED", "DELETED"]),
  deleted_at: z.string().nullable(),
  pruned_at: z.string().nullable(),
  cursor: z.string(),
  /** Present when what is stored of the record cannot be read: then it has its `id` and this object only. */
  damaged: z.literal(true).optional(),
});

const place = z.looseObject({
  "connection-id": connectionId,
  "provider-config-key": integrationKey,
});

const filterWord = z.enum(["added", "updated", "deleted"]);

export const recordRoutes = {
  listRecords: defineRoute({
    method: "GET",
    path: "/records",
    summary: "List the records of a model in the order in which they last changed",
    principals: ["environment"],
    scope: "environment:records:read",
    headers: place.extend({
      /** `application/x-ndjson`: a line per record, the whole model unless `limit` is given. */
      accept: z.string().optional(),
    }),
    query: z.strictObject({
      model: modelName,
      variant: functionName.optional(),
      modified_after: timestamp.optional(),
      /** Older name of `modified_after`. */
      delta: timestamp.optional(),
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
  pruneRecords: defineRoute({
    method: "PATCH",
    path: "/records/prune",
    summary: "Empty the content of records up to a cursor; repeat while `has_more`",
    principals: ["environment"],
    scope: "environment:records:write",
    headers: place,
    body: z.strictObject({
      model: modelName,
      variant: functionName.optional(),
      until_cursor: z.string().min(1).max(1000),
      limit: z.number().int().min(1).max(10_000).optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ count: z.number().int(), has_more: z.boolean() }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
    ],
    idempotent: true,
  }),
} as const;
