import * as z from "zod";
import { connectionId, integrationKey, modelName } from "../fields.ts";
import { listOf } from "../logs/list-of.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import { record } from "./records.ts";

/** Records of all models of an environment, as a stream of changes. */

const cursor = z.string().meta({
  description: "Continues after this event: `cursor` of a later call, or `Last-Event-ID`.",
  examples: ["2gosa7pa2g-1z-4"],
});

const source = {
  source: z.string().meta({
    description:
      "Id of the records of one model of one connection. It never names other records: a connection that is deleted and created again under the same id has another one. Store records by `source` and `id`.",
    examples: ["mFh0Z1vJq2n8dK3sXw7e"],
  }),
  provider_config_key: z
    .string()
    .nullable()
    .describe("Key of the integration; null when the connection was deleted long ago."),
  connection_id: z
    .string()
    .nullable()
    .describe("The connection; null when it was deleted long ago."),
  model: z.string().meta({ description: "Name of the model.", examples: ["Contact"] }),
  variant: z.string().describe("Variant of the sync that saved it; `base` is the sync itself."),
};

/** An event of the feed, as its NDJSON has it. */
const feedEvent = z
  .discriminatedUnion("type", [
    z
      .strictObject({
        type: z.literal("record").describe("A record was added, changed or deleted."),
        cursor,
        ...source,
        record: record.describe(
          "The record as it is now; `_svc_metadata.last_action` says what happened to it last.",
        ),
      })
      .meta({ id: "FeedRecord", description: "A record that has changed." }),
    z
      .strictObject({
        type: z
          .literal("removed")
          .describe(
            "All records of the source were removed at once, such as with their connection: drop what you have of it. Events of the same source may follow.",
          ),
        cursor,
        ...source,
      })
      .meta({ id: "FeedRemoval", description: "Records that were removed at once." }),
    z
      .strictObject({
        type: z.literal("heartbeat").describe("Nothing has changed; the cursor may have moved."),
        cursor,
      })
      .meta({ id: "FeedHeartbeat", description: "A sign that the stream is open." }),
    z
      .strictObject({
        type: z
          .literal("end")
          .describe("Everything up to the call was sent. Without it the answer is incomplete."),
        cursor,
      })
      .meta({ id: "FeedEnd", description: "The end of a stream that is not live." }),
  ])
  .meta({ id: "FeedEvent", description: "An event of `GET /records/feed`." });

export const recordFeedRoutes = {
  streamRecords: defineRoute({
    method: "GET",
    path: "/records/feed",
    summary:
      "Changes of all models of the environment as a stream that can be resumed: NDJSON, or server-sent events with `Accept: text/event-stream`",
    principals: ["environment"],
    scope: "environment:records:read",
    headers: z.looseObject({
      accept: z
        .string()
        .optional()
        .meta({
          description:
            "`text/event-stream` answers server-sent events, whose `id` is the cursor. Default: a JSON object in each line (`application/x-ndjson`).",
          examples: ["text/event-stream"],
        }),
      "last-event-id": z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("`cursor` of the last event, as a browser sends it; wins over `cursor`."),
    }),
    query: z
      .strictObject({
        cursor: z
          .string()
          .min(1)
          .max(100)
          .optional()
          .describe("`cursor` of the last event that you have stored: only later events follow."),
        from: z
          .enum(["beginning", "now"])
          .optional()
          .describe(
            "Where to begin without a cursor: `beginning` sends all stored records first, the default; `now` only later changes.",
          ),
        models: listOf(modelName)
          .optional()
          .meta({
            description:
              "Only these models, at most 20, separated by commas; `Model::variant` for one variant. Default: all, with all variants.",
            examples: ["Contact,Deal"],
          }),
        provider_config_key: integrationKey.optional().describe("Only this integration."),
        connection_id: connectionId
          .optional()
          .describe("Only this connection; needs `provider_config_key`."),
        live: z
          .enum(["true", "false"])
          .optional()
          .describe(
            "Whether the stream stays open at its end and sends changes as they come. Default `true` for server-sent events, `false` for NDJSON.",
          ),
      })
      .refine(
        ({ provider_config_key: integration, connection_id: connection }) =>
          connection === undefined || integration !== undefined,
        { message: "needs provider_config_key", path: ["connection_id"] },
      ),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: { status: 200, schema: feedEvent },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
      "too_many_request",
    ],
    idempotent: false,
    raw: true,
    streamedAs: ["application/x-ndjson", "text/event-stream"],
    sessions: "taken",
  }),
} as const;
