import * as z from "zod";
import {
  connectionId,
  connectionWithIntegration,
  functionName,
  integrationKey,
  modelName,
  nextCursor,
  pageQuery,
  timestamp,
  wholeNumber,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import { modelFilters } from "./model-filters.ts";

/** Records that syncs have saved. */

/** What the server knows about a record. */
export const recordMetadata = z
  .strictObject({
    first_seen_at: z.string().meta({
      description:
        "When a sync first saved it, or saved it again after it was deleted. ISO 8601 with microseconds.",
      examples: ["2026-01-31T12:00:00.123456+00:00"],
    }),
    last_modified_at: z.string().meta({
      description:
        "When it last changed: its content, or that it was deleted. ISO 8601 with microseconds.",
      examples: ["2026-01-31T12:00:00.123456+00:00"],
    }),
    last_action: z.enum(["ADDED", "UPDATED", "DELETED"]).describe("What happened to it last."),
    deleted_at: z
      .string()
      .nullable()
      .describe("When it was deleted at the provider; null while it is there."),
    pruned_at: z
      .string()
      .nullable()
      .describe("When its content was removed; null while it is there."),
    cursor: z
      .string()
      .describe("Its place in the order of changes: `cursor` of a later call continues after it."),
    damaged: z
      .literal(true)
      .optional()
      .describe(
        "`true` when what is stored of it cannot be read: it then has only its `id` and this object. Otherwise absent.",
      ),
  })
  .meta({ id: "RecordMetadata", description: "What the server knows about a record." });

const place = z.looseObject({
  "connection-id": connectionId.describe("Connection whose records are meant."),
  "provider-config-key": integrationKey.describe("Integration of that connection."),
});

/** A record, as its model has it. */
export const record = z.looseObject({
  id: z
    .string()
    .describe(
      "Id of the record at the provider. The fields of its model follow; a record whose content was pruned has none.",
    ),
  _svc_metadata: recordMetadata.describe("What the server knows about the record."),
});

const deleteRefusal = z
  .strictObject({
    deletes: z.number().int().describe("Records that a run wanted to delete."),
    share: z.number().meta({
      description: "Their share of the records that are not deleted, from 0 to 1.",
      examples: [0.93],
    }),
    since: timestamp
      .nullable()
      .describe("When the guard refused them; null after an upgrade, until the next refusal."),
    sample_ids: z.array(z.string()).describe("Ids of up to 20 of these records."),
  })
  .meta({ id: "DeleteRefusal", description: "Deletions that the delete guard has refused." });

const recordModel = z
  .strictObject({
    provider_config_key: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["hubspot"] }),
    connection_id: z
      .string()
      .meta({ description: "The connection whose records these are.", examples: ["user-42"] }),
    model: z.string().meta({ description: "Name of the model.", examples: ["Contact"] }),
    variant: z.string().describe("Variant of the sync that saved them; `base` is the sync itself."),
    live_count: z.number().int().describe("Records that are not deleted."),
    last_modified_at: timestamp.describe("When one of them last changed."),
    bytes: z
      .number()
      .int()
      .nullable()
      .describe(
        "Bytes of the contents of all its records, as they are stored: encrypted, or as JSON where the installation stores records in the clear. Contents of deleted records count until they are pruned; ids, indexes and what the database needs for itself do not. Null after an upgrade, for up to a day, until they have been counted once.",
      ),
    largest_record_bytes: z
      .number()
      .int()
      .describe("Bytes of the largest content that was ever stored, as it is stored."),
    refused_deletes: z
      .number()
      .int()
      .nullable()
      .describe(
        "How many deletions the delete guard has refused; null when there is nothing to confirm.",
      ),
    refusal: deleteRefusal
      .nullable()
      .describe("What the delete guard has refused; null when there is nothing to confirm."),
  })
  .meta({ id: "RecordModel", description: "The records of one model of a connection." });

const filterWord = z.enum(["added", "updated", "deleted"]);

/** Which records of a model a prune is about. */
const prunable = {
  model: modelName.describe("Model whose records lose their content."),
  variant: functionName.optional().meta({
    description: "Variant of the sync that saved the records. Default `base`.",
    examples: ["v2"],
  }),
  until_cursor: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      "`cursor` of the last record whose content is removed; all before it lose theirs as well. Send either this or `before`.",
    ),
  before: timestamp.optional().meta({
    description: "Records that last changed before this time. Send either this or `until_cursor`.",
    examples: ["2026-01-01T00:00:00.000Z"],
  }),
};

interface Bound {
  readonly until_cursor?: string | undefined;
  readonly before?: string | undefined;
}

function hasOneBound({ until_cursor: cursor, before }: Bound): boolean {
  return (cursor === undefined) !== (before === undefined);
}

function hasNoBound({ until_cursor: cursor, before }: Bound): boolean {
  return cursor === undefined && before === undefined;
}

const oneBound = { message: "needs either until_cursor or before", path: ["until_cursor"] };

export const recordRoutes = {
  listRecords: defineRoute({
    method: "GET",
    path: "/records",
    summary: "List the records of a model in the order in which they last changed",
    principals: ["environment"],
    scope: "environment:records:read",
    headers: place.extend({
      accept: z
        .string()
        .optional()
        .meta({
          description:
            "`application/x-ndjson` answers a line for each record, the whole model unless `limit` is given. Default: a page in JSON.",
          examples: ["application/x-ndjson"],
        }),
    }),
    query: z.strictObject({
      model: modelName.describe("Model to read."),
      variant: functionName.optional().meta({
        description: "Variant of the sync that saved the records. Default `base`.",
        examples: ["v2"],
      }),
      modified_after: timestamp
        .optional()
        .describe("Only records that changed at this time or later."),
      as_of: timestamp
        .optional()
        .describe(
          "The records as they were at this time. Needs the history of the model: `PUT /records/history/{model}`.",
        ),
      delta: timestamp
        .optional()
        .meta({ deprecated: true, description: "Deprecated: use `modified_after`." }),
      limit: wholeNumber({ min: 1, max: 10_000 })
        .optional()
        .meta({ description: "Records on a page, 1 to 10,000. Default 100.", examples: ["100"] }),
      filter: z
        .string()
        .transform((text) => text.toLowerCase().split(","))
        .pipe(z.array(filterWord).min(1))
        .optional()
        .meta({
          description:
            "Only records whose last change was one of these: `added`, `updated`, `deleted`, separated by commas.",
          examples: ["added,updated"],
        }),
      order: z
        .enum(["asc", "desc"])
        .optional()
        .describe(
          "`asc`: the oldest change first, the default; `desc`: the newest change first, to look at. Only `asc` misses nothing while others write.",
        ),
      cursor: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe(
          "`next_cursor` of the page before, or the `cursor` of any record: answers what follows it.",
        ),
      ids: z
        .union([z.string(), z.array(z.string())])
        .transform((ids) => [ids].flat())
        .pipe(z.array(z.string().min(1).max(256)).max(100))
        .optional()
        .describe("Only records with these ids, at most 100; repeat the parameter."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        records: z
          .array(record)
          .describe("The page of records, in the order in which they last changed."),
        next_cursor: z
          .string()
          .nullable()
          .describe("Where the next page begins; null when there is nothing more at the moment."),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
    ],
    idempotent: false,
    raw: true,
    sessions: "taken",
  }),
  listRecordModels: defineRoute({
    method: "GET",
    path: "/records/models",
    summary: "List the models that syncs have saved records of, newest model first, with counts",
    principals: ["environment"],
    scope: "environment:records:read",
    query: z
      .strictObject({
        ...modelFilters,
        ...pageQuery("Models", { most: 1000, usual: 100 }),
      })
      .refine(...connectionWithIntegration),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(recordModel).describe("The page of models, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
    ],
    idempotent: false,
  }),
  getRecord: defineRoute({
    method: "GET",
    path: "/records/{id}",
    summary: "Get one record by its id at the provider",
    principals: ["environment"],
    scope: "environment:records:read",
    params: z.strictObject({
      id: z.string().min(1).max(256).describe("Id of the record at the provider."),
    }),
    headers: place,
    query: z.strictObject({
      model: modelName.describe("Model of the record."),
      variant: functionName.optional().meta({
        description: "Variant of the sync that saved it. Default `base`.",
        examples: ["v2"],
      }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: record.describe("The record, also one that is deleted.") }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "not_found",
    ],
    idempotent: false,
    raw: true,
    sessions: "taken",
  }),
  countPrunableRecords: defineRoute({
    method: "GET",
    path: "/records/prune/count",
    summary:
      "Count the records whose content a prune would empty, of a model or up to a bound, 100,000 at most",
    principals: ["environment"],
    scope: "environment:records:read",
    headers: place,
    query: z
      .strictObject(prunable)
      .refine((wanted) => hasNoBound(wanted) || hasOneBound(wanted), oneBound),
    success: {
      status: 200,
      schema: z.strictObject({
        count: z
          .number()
          .int()
          .describe("Records that still have their content and would lose it; at most 100,000."),
        has_more: z.boolean().describe("Whether there may be more than were counted."),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
    ],
    idempotent: false,
  }),
  pruneRecords: defineRoute({
    method: "PATCH",
    path: "/records/prune",
    summary: "Empty the content of records up to a cursor or a time; repeat while `has_more`",
    principals: ["environment"],
    scope: "environment:records:write",
    headers: place,
    body: z
      .strictObject({
        ...prunable,
        limit: z
          .number()
          .int()
          .min(1)
          .max(10_000)
          .optional()
          .describe("Most records to prune in this call, 1 to 10,000. Default 1,000."),
      })
      .refine(hasOneBound, oneBound),
    success: {
      status: 200,
      schema: z.strictObject({
        count: z.number().int().describe("Records whose content this call has removed."),
        has_more: z
          .boolean()
          .describe("Whether records up to the cursor remain: make the same call again."),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
    ],
    idempotent: true,
  }),
} as const;
