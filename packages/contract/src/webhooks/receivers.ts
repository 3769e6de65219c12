import * as z from "zod";
import { nextCursor, success, timestamp, uuid, webAddress, wholeNumber } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** Addresses that webhooks of an environment go to. */

const lastFailure = z
  .strictObject({
    delivery_id: uuid.describe("The webhook that was sent."),
    at: timestamp.describe("When the attempt failed."),
    status: z.number().int().nullable().describe("HTTP status of the answer; null without one."),
    error: z.string().nullable().describe("Why no answer came; null when one did."),
    answer: z
      .string()
      .nullable()
      .describe("The first KB of the answer's body, as text; null without one."),
  })
  .meta({
    id: "WebhookReceiverFailure",
    description: "The latest failed attempt among the latest 20 webhooks to an address.",
  });

const receiver = z
  .strictObject({
    id: uuid.describe("Id of the address in this environment."),
    url: z.string().meta({ description: "The address.", examples: ["https://example.com/hooks"] }),
    state: z
      .enum(["ok", "failing", "disabled"])
      .describe(
        "`failing`: no attempt has been received since `failing_since`; `disabled`: given up after 5 days, webhooks are held until it is enabled.",
      ),
    failing_since: timestamp
      .nullable()
      .describe("The first failed attempt since one was received; null for `ok`."),
    disabled_at: timestamp.nullable().describe("When it was disabled; null unless it is."),
    held: z
      .number()
      .int()
      .describe("Webhooks that wait to be sent there; 1,000 means that many or more."),
    waiting_since: timestamp
      .nullable()
      .describe("When the oldest of those that wait was queued; null if none waits."),
    next_attempt_at: timestamp
      .nullable()
      .describe(
        "When the first of those that wait is sent; null for `disabled`, or if none waits.",
      ),
    last_failure: lastFailure
      .nullable()
      .describe("What the address answered last; null for `ok`, or once it is no longer kept."),
    recent: z
      .strictObject({
        sent: z.number().int().describe("Number of webhooks examined: at most 20."),
        delivered: z.number().int().describe("How many of them were received."),
        last_at: timestamp.nullable().describe("When the latest was queued; null without any."),
        last_status: z
          .number()
          .int()
          .nullable()
          .describe("HTTP status of the last answer to it; null without one."),
        duration_p95_ms: z
          .number()
          .int()
          .nullable()
          .describe(
            "Milliseconds within which 95 % of the attempts to send them had an answer or were given up; null without any.",
          ),
      })
      .describe("The latest 20 webhooks to it that are kept."),
  })
  .meta({ id: "WebhookReceiver", description: "An address that webhooks go to." });

const testResult = z
  .strictObject({
    url: z.string().describe("Address that the event was sent to."),
    delivered: z.boolean().describe("Whether it was answered with 2xx."),
    status: z.number().int().nullable().describe("HTTP status of the answer; null without one."),
    error: z.string().nullable().describe("Why no answer came; null when one did."),
    answer: z.string().describe("The first KB of the answer's body, as text."),
    duration_ms: z
      .number()
      .int()
      .describe("Milliseconds until the answer, or until it was given up."),
  })
  .meta({ id: "WebhookTest", description: "What an address answered to a test event." });

export const receiverRoutes = {
  listWebhookReceivers: defineRoute({
    method: "GET",
    path: "/webhooks/receivers",
    summary: "List the addresses that webhooks of the environment went to, and how they do",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    query: z.strictObject({
      url: webAddress.optional().meta({
        description: "Only this address.",
        examples: ["https://example.com/hooks"],
      }),
      limit: wholeNumber({ min: 1, max: 100 })
        .optional()
        .describe("Addresses on a page, 1 to 100. Default 20."),
      cursor: uuid
        .optional()
        .describe("`next_cursor` of the page before. Default: the first page."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(receiver).describe("The addresses, in the order of their ids."),
        next_cursor: nextCursor,
      }),
    },
    errors: [],
    idempotent: false,
  }),
  testWebhookReceiver: defineRoute({
    method: "POST",
    path: "/webhooks/receivers/test",
    summary:
      "Send a signed event of type `test` to an address now, once, and return what it answers",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    body: z.strictObject({
      url: webAddress.optional().meta({
        description:
          "Address to test: one of the environment's webhook settings, or one that webhooks went to. Default: the primary address.",
        examples: ["https://example.com/hooks"],
      }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: testResult.describe("The answer.") }),
    },
    errors: ["not_found"],
    idempotent: false,
    leavesCaches: true,
  }),
  enableWebhookReceiver: defineRoute({
    method: "POST",
    path: "/webhooks/receivers/enable",
    summary: "Send to an address again after it was disabled; what was held goes out now",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    body: z.strictObject({
      url: webAddress.meta({
        description: "Address to send to again, as the deliveries name it.",
        examples: ["https://example.com/hooks"],
      }),
    }),
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: true,
  }),
} as const;
