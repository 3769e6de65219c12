import * as z from "zod";
import { integrationKey, nextCursor, pageQuery, timestamp, uuid, webAddress } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { receiverRoutes } from "./receivers.ts";

/** Webhooks sent to the customer: what became of each, and sending them again. */

/** Part of an environment's webhook settings: an address that fails. */
export const failingReceiver = z
  .strictObject({
    url: z.string().describe("The address."),
    failing_since: timestamp.describe("When the first of the failed attempts was made."),
    disabled_at: timestamp
      .nullable()
      .describe("Since when its webhooks are held; null while they are still sent."),
    message: z.string().describe("What that means and what to do, for people."),
  })
  .meta({ id: "FailingReceiver", description: "An address that does not accept its webhooks." });

const type = z
  .enum([
    "auth",
    "sync",
    "async_action",
    "forward",
    "problem",
    "audit",
    "agent_approval",
    "agent_tool_changed",
    "canary",
  ])
  .meta({
    id: "WebhookType",
    description:
      "What a webhook is about: `auth` (a connection), `sync` (a run), `async_action` (an asynchronous action), `forward` (a provider's webhook), `problem` (a problem has opened or ended), `audit` (the end of the audit log), `agent_approval` (a call of an agent that a person approves), `agent_tool_changed` (a tool of another MCP server is other than the allowed one), `canary` (a canary was promoted or rolled back).",
  });

const delivery = z
  .strictObject({
    id: uuid.describe("Id of the delivery."),
    webhook_id: z.string().describe("Value of the header `webhook-id`, the same at every attempt."),
    type: type.describe("What it is about."),
    url: z.string().describe("URL of the webhook endpoint."),
    state: z
      .enum(["waiting", "held", "delivered", "failed"])
      .describe(
        "`waiting` for its next attempt, `held` because the endpoint is disabled, `delivered`, or `failed` after the last attempt.",
      ),
    connection_id: z.string().nullable().describe("Connection that it is about; null without one."),
    provider_config_key: z
      .string()
      .nullable()
      .describe("Integration that it is about; null without one."),
    operation_id: uuid.nullable().describe("Its operation in the logs; null without one."),
    attempt_count: z.number().int().describe("Attempts since it was queued, or queued again."),
    last_status: z
      .number()
      .int()
      .nullable()
      .describe(
        "HTTP status of the last answer; null before the first attempt and where no answer came.",
      ),
    last_error: z
      .string()
      .nullable()
      .describe("Why the last attempt failed; null when it did not."),
    next_attempt_at: timestamp
      .nullable()
      .describe("When the next attempt is due; null when there is none."),
    created_at: timestamp.describe("When it was queued."),
    ended_at: timestamp
      .nullable()
      .describe("When it was delivered or failed permanently; null before."),
  })
  .meta({ id: "WebhookDelivery", description: "A webhook that was sent or waits to be sent." });

const wholeDelivery = delivery
  .extend({
    body: z.string().describe("The bytes that are sent, as text."),
    attempts: z
      .array(
        z.strictObject({
          status: z
            .number()
            .int()
            .nullable()
            .describe("HTTP status of the answer; null where no answer came."),
          error: z.string().nullable().describe("Why it failed; null when it did not."),
          answer: z
            .string()
            .nullable()
            .describe("The first KB of the answer's body; null where no answer came."),
          duration_ms: z.number().int().describe("Milliseconds that the attempt took."),
          created_at: timestamp.describe("When the attempt was made."),
          headers: z
            .record(z.string(), z.string())
            .nullable()
            .meta({
              description:
                "Headers that sign the attempt, as they were sent; null where nothing was sent, and for attempts of releases that did not note them.",
              examples: [
                {
                  "webhook-id": "msg_3f0c9c1e-6d5a-4b6f-9c0e-2a1b7d8e9f00",
                  "webhook-timestamp": "1790000000",
                  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
                },
              ],
            }),
        }),
      )
      .describe("The attempts, oldest first, including those before a replay."),
  })
  .meta({
    id: "WebhookDeliveryWithAttempts",
    description: "A webhook with its body and all its attempts.",
  });

const replay = z
  .strictObject({
    id: uuid.describe("Id of the replay."),
    state: z
      .enum(["running", "done"])
      .describe("`running` while webhooks are queued again, then `done`. They are sent meanwhile."),
    replayed: z.number().int().describe("Webhooks that were queued again so far."),
    started_at: timestamp.describe("When it began."),
    ended_at: timestamp.nullable().describe("When it ended; null while it is running."),
  })
  .meta({
    id: "WebhookReplayProgress",
    description: "How far a replay of many webhooks has come.",
  });

const idParams = z.strictObject({
  id: z.uuid("must be the id of a delivery, a UUID").describe("Id of the delivery."),
});
const name = z.string().min(1).max(255);

const SEARCHED =
  "Only webhooks with this text in their address, their connection's id, their integration's key or the error of the last attempt, upper and lower case being the same; or the one webhook with this `id` or `webhook_id`. Bodies are encrypted and are not searched.";

const filter = {
  type: type.optional().describe("Only webhooks about this."),
  connection_id: name.optional().describe("Only webhooks about connections with this id."),
  url: webAddress.optional().meta({
    description: "Only webhooks to this address.",
    examples: ["https://example.com/hooks"],
  }),
  provider_config_key: integrationKey.optional().describe("Only webhooks about this integration."),
  status: z
    .enum(["2xx", "3xx", "4xx", "5xx", "none"])
    .optional()
    .describe("Only webhooks whose last answer had such a status; `none`: without an answer."),
  search: z.string().min(1).max(255).optional().describe(SEARCHED),
};

export const webhookDeliveryRoutes = {
  listWebhookDeliveries: defineRoute({
    method: "GET",
    path: "/webhooks/deliveries",
    summary: "List webhooks that were sent or wait to be, newest first",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    query: z.strictObject({
      state: z
        .enum(["waiting", "held", "delivered", "failed"])
        .optional()
        .describe("Only webhooks in this state."),
      ...filter,
      search: filter.search.describe(
        `${SEARCHED} A page may have fewer webhooks than asked for, even none, and still a \`next_cursor\`.`,
      ),
      since: timestamp.optional().describe("Only webhooks queued at this time or later."),
      until: timestamp.optional().describe("Only webhooks queued before this time."),
      ...pageQuery("Webhooks", { most: 500, usual: 100 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(delivery).describe("The page of webhooks, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getWebhookDelivery: defineRoute({
    method: "GET",
    path: "/webhooks/deliveries/{id}",
    summary: "Get one webhook with its body and what the endpoint answered to each attempt",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    params: idParams,
    success: {
      status: 200,
      schema: z.strictObject({ data: wholeDelivery.describe("The webhook.") }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  replayWebhookDelivery: defineRoute({
    method: "POST",
    path: "/webhooks/deliveries/{id}/replay",
    summary: "Send one webhook again, now, with its id and body and with eight attempts",
    principals: ["environment"],
    scope: ["environment:webhooks:replay", "environment:webhooks:write"],
    params: idParams,
    success: {
      status: 200,
      schema: z.strictObject({ data: delivery.describe("The webhook, queued again.") }),
    },
    errors: ["not_found"],
    idempotent: true,
  }),
  replayWebhookDeliveries: defineRoute({
    method: "POST",
    path: "/webhooks/deliveries/replay",
    summary: "Send webhooks of a time again: those that failed, unless another state is named",
    principals: ["environment"],
    scope: ["environment:webhooks:replay", "environment:webhooks:write"],
    body: z
      .strictObject({
        since: timestamp.describe("Replays webhooks queued at this time or later."),
        until: timestamp
          .optional()
          .describe("Replays webhooks queued before this time. Default: now."),
        state: z
          .enum(["failed", "delivered", "any"])
          .optional()
          .describe("Replays webhooks in this state. Default `failed`."),
        ...filter,
      })
      .meta({ id: "WebhookReplay" }),
    success: {
      status: 200,
      schema: z.strictObject({ data: replay.describe("The replay that has begun.") }),
    },
    errors: [],
    idempotent: true,
  }),
  getWebhookReplay: defineRoute({
    method: "GET",
    path: "/webhooks/replays/{id}",
    summary: "Get how far a replay of webhooks has got",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    params: z.strictObject({
      id: z
        .uuid("must be the id of a replay, a UUID")
        .describe("Replay, by the id that its beginning answered."),
    }),
    success: { status: 200, schema: z.strictObject({ data: replay.describe("The replay.") }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  ...receiverRoutes,
} as const;
