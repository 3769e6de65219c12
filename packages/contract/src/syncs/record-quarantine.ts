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

/** Records that did not match their model's schema, and were not saved. */

const reason = z
  .strictObject({
    id: z
      .number()
      .int()
      .describe(
        "Number of the reason within this model of this connection. 0 sums up all reasons beyond the first 49.",
      ),
    pointer: z.string().meta({
      description:
        "Where in the record: a JSON pointer (RFC 6901). `*` stands for a position in a list, and for a name that looks like data, such as an address. Empty for the record itself.",
      examples: ["/lines/*/price"],
    }),
    code: z.string().meta({
      description:
        "What does not fit, as zod names it: `invalid_type`, `invalid_format`, `too_small`, `unrecognized_keys` and so on; `other` for all reasons beyond the first 49, `check_failed` where the schema failed to check the record. Of a record with several faults it is the first.",
      examples: ["invalid_type"],
    }),
    expected: z
      .string()
      .nullable()
      .meta({
        description: "Type or format that the schema expects; null where it names none.",
        examples: ["string"],
      }),
    received: z
      .string()
      .nullable()
      .meta({
        description:
          "Type of what the record has there: `string`, `number`, `boolean`, `object`, `array`, `null`, or `missing`; null for `other`.",
        examples: ["null"],
      }),
    count: z.number().int().describe("Records that are quarantined for this reason now."),
    first_seen_at: timestamp.describe("When a run first met it."),
    last_seen_at: timestamp.describe("When a run last met it."),
  })
  .meta({ id: "QuarantineReason", description: "Why records of a model are quarantined." });

const quarantinedModel = z
  .strictObject({
    provider_config_key: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["hubspot"] }),
    connection_id: z
      .string()
      .meta({ description: "The connection whose records these are.", examples: ["user-42"] }),
    model: z.string().meta({ description: "Name of the model.", examples: ["Contact"] }),
    variant: z.string().describe("Variant of the sync; `base` is the sync itself."),
    count: z.number().int().describe("Records that are quarantined now."),
    since: timestamp.describe("Since when there are any, without interruption."),
    reasons: z.array(reason).describe("Why, the most records first; at most 50."),
  })
  .meta({ id: "QuarantinedModel", description: "Quarantined records of a model of a connection." });

const sample = z
  .strictObject({
    id: z.string().describe("Id of the record at the provider."),
    reason: z.number().int().describe("`id` of the reason."),
    noted_at: timestamp.describe("When the sample was taken."),
    record: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("The record as the sync had it; null when what is stored was changed."),
  })
  .meta({ id: "QuarantineSample", description: "A quarantined record." });

export const recordQuarantineRoutes = {
  listQuarantine: defineRoute({
    method: "GET",
    path: "/records/quarantine",
    summary: "List the models with records that did not match their schema and were not saved",
    principals: ["environment"],
    scope: "environment:records:read",
    query: z
      .strictObject({
        ...modelFilters,
        ...pageQuery("Models", { most: 100, usual: 20 }),
      })
      .refine(...connectionWithIntegration),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(quarantinedModel).describe("The page of models, newest first."),
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
  listQuarantineSamples: defineRoute({
    method: "GET",
    path: "/records/quarantine/samples",
    summary: "List samples of the quarantined records of a model",
    principals: ["environment"],
    scope: "environment:records:read",
    query: z.strictObject({
      provider_config_key: integrationKey.describe("Integration of the connection."),
      connection_id: connectionId.describe("Connection whose records are meant."),
      model: modelName.describe("Model of the records."),
      variant: functionName.optional().meta({
        description: "Variant of the sync. Default `base`.",
        examples: ["v2"],
      }),
      reason: wholeNumber({ min: 0, max: 49 })
        .optional()
        .describe("Only samples of this reason: its `id` in `GET /records/quarantine`."),
      limit: wholeNumber({ min: 1, max: 250 })
        .optional()
        .describe("Samples in the answer, 1 to 250. Default 20."),
    }),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(sample)
          .describe("The samples, oldest first: up to 5 for each reason, of up to 16 KiB each."),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
    ],
    idempotent: false,
  }),
} as const;
