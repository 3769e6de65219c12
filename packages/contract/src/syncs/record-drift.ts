import * as z from "zod";
import { connectionWithIntegration, nextCursor, pageQuery, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { fieldTypes } from "../runtime/record-fields.ts";
import { camelCaseOf } from "../synonyms.ts";
import { modelFilters } from "./model-filters.ts";

/** Fields of records, as samples of what syncs saved have them, and how they differ from the schema. */

const share = z.number().min(0).max(1).nullable();

const field = z
  .strictObject({
    pointer: z.string().meta({
      description:
        "Which field: a JSON pointer (RFC 6901). `*` stands for a position in a list, and for a name that looks like data, such as an address.",
      examples: ["/lines/*/price"],
    }),
    findings: z
      .array(z.enum(["new_field", "unexpected_type", "type_changed", "nulls_changed"]))
      .describe(
        "What is odd about it. `new_field`: the schema does not name it. `unexpected_type`: it had a type that the schema excludes. `type_changed`: it has had a type that it did not have at first, and that the schema does not name. `nulls_changed`: null or missing in at least 20 % more or fewer of this week's samples than of the week before. Empty for none.",
      ),
    in_schema: z
      .boolean()
      .nullable()
      .describe("Whether the schema names it; null where no deployed sync has the model."),
    expected: z
      .array(z.enum(fieldTypes))
      .nullable()
      .describe("Types that the schema allows; null where it allows any, or does not name it."),
    types: z
      .array(
        z.strictObject({
          type: z.enum(fieldTypes).describe("Type of the values, as JSON has them."),
          count: z.number().int().describe("Sampled values of this type."),
          first_seen_at: timestamp.describe("When the first of them was saved."),
          last_seen_at: timestamp.describe("When the last of them was saved."),
        }),
      )
      .describe("Types of its values, the most frequent first."),
    null_share: share.describe(
      "Of this week's samples, how many had null: 0 to 1. Weeks begin on Thursday, 00:00 UTC. Null without a sample.",
    ),
    null_share_before: share.describe("The same of the week before."),
    missing_share: share.describe("Of this week's samples, how many did not have the field."),
    first_seen_at: timestamp.describe("When the first sample with the field was saved."),
    last_seen_at: timestamp.describe("When the last sample with the field was saved."),
  })
  .meta({ id: "DriftField", description: "A field of a model, as records have it." });

const driftModel = z
  .strictObject({
    provider_config_key: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["hubspot"] }),
    connection_id: z
      .string()
      .meta({ description: "The connection whose records these are.", examples: ["user-42"] }),
    model: z.string().meta({ description: "Name of the model.", examples: ["Contact"] }),
    variant: z.string().describe("Variant of the sync; `base` is the sync itself."),
    sampled_records: z.number().int().describe("Records that were looked at."),
    since: timestamp.describe("When the first of them was saved."),
    last_sampled_at: timestamp.describe("When the last of them was saved."),
    more_fields: z
      .boolean()
      .describe("Whether records have had more than the 200 fields that are followed."),
    fields: z.array(field).describe("The fields by pointer, at most 200."),
  })
  .meta({ id: "DriftModel", description: "The fields of a model of a connection." });

export const recordDriftRoutes = {
  listDrift: defineRoute({
    method: "GET",
    path: "/records/drift",
    summary: "List how the fields of saved records differ from their schema and from before",
    principals: ["environment"],
    scope: "environment:records:read",
    query: z
      .strictObject({
        ...modelFilters,
        fields: z
          .enum(["odd", "all"])
          .optional()
          .describe("`odd` (the default): only fields with a finding; `all`: each field."),
        ...pageQuery("Models", { most: 50, usual: 20 }),
      })
      .refine(...connectionWithIntegration),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(driftModel).describe("The page of models, newest first."),
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
} as const;
