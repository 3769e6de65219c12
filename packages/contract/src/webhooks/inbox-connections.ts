import * as z from "zod";
import {
  connectionId,
  connectionNeedsIntegration,
  integrationKey,
  nextCursor,
  pageQuery,
  timestamp,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";

/** How webhooks of providers arrive for each connection. */

const sequence = z
  .strictObject({
    highest: z.number().int().describe("The highest number that came."),
    missing: z.number().int().describe("Numbers below it that have not come."),
    ranges: z
      .array(
        z.strictObject({
          first: z.number().int().describe("The lowest number of the range."),
          last: z.number().int().describe("The highest number of the range."),
        }),
      )
      .describe("Which they are: the latest 50 ranges."),
    repeated: z.number().int().describe("Numbers that came again in an event with another id."),
  })
  .meta({ id: "WebhookSequence", description: "Numbers that a provider gives its events." });

const arrivals = z
  .strictObject({
    provider_config_key: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["hubspot"] }),
    connection_id: z
      .string()
      .meta({ description: "The connection that the webhooks were for.", examples: ["user-42"] }),
    received: z
      .number()
      .int()
      .describe(
        "Verified webhooks with an event for it; all webhooks of a provider that signs none.",
      ),
    duplicates: z
      .number()
      .int()
      .describe("Events for it that had come before, by their id, and were not handled again."),
    since: timestamp.describe("When the first of these webhooks came."),
    last_received_at: timestamp.describe("When the last one came."),
    longest_interval_seconds: z
      .number()
      .int()
      .nullable()
      .describe(
        "The longest time between two webhooks in four to eight weeks; intervals of less than a minute do not count. Null without one.",
      ),
    expected_within_seconds: z
      .number()
      .int()
      .nullable()
      .describe(
        "How long no webhook may come before that is odd. Null while too little is known: fewer than 20 intervals, or 14 days.",
      ),
    silent_since: timestamp
      .nullable()
      .describe("Since when the silence is odd; null where it is not."),
    sequence: sequence
      .nullable()
      .describe(
        "Numbers of its events, where the provider's entry or `settings.webhook_sequence` of the integration names them; null without.",
      ),
  })
  .meta({
    id: "WebhookArrivals",
    description: "How webhooks arrive for a connection. Counted since the first of them.",
  });

export const inboxConnectionRoutes = {
  listWebhookArrivals: defineRoute({
    method: "GET",
    path: "/webhooks/inbox/connections",
    summary: "List how webhooks of providers arrive for each connection",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    query: z
      .strictObject({
        provider_config_key: integrationKey
          .optional()
          .describe("Only connections of this integration."),
        connection_id: connectionId
          .optional()
          .describe("Only this connection; together with `provider_config_key`."),
        silent: z
          .enum(["true", "false"])
          .optional()
          .describe(
            "`true`: only connections for which no webhook came for far longer than usual. Default `false`.",
          ),
        ...pageQuery("Connections", { most: 500, usual: 100 }),
      })
      .refine(...connectionNeedsIntegration),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(arrivals)
          .describe("The page of connections, those whose first webhook came last first."),
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
