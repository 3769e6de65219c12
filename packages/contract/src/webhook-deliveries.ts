import * as z from "zod";
import { success, timestamp, webAddress, wholeNumber } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Webhooks sent to the customer: what became of each, and sending them again. */

/** Part of an environment's webhook settings: an address that fails. */
export const failingReceiver = z.strictObject({
  url: z.string(),
  failing_since: timestamp,
  /** From here on its webhooks are held; null while they are still sent. */
  disabled_at: timestamp.nullable(),
  message: z.string(),
});

const type = z.enum(["auth", "sync", "async_action", "forward"]);

const delivery = z.strictObject({
  id: z.uuid(),
  /** What the receiver sees as the header `webhook-id`, at every attempt. */
  webhook_id: z.string(),
  type,
  url: z.string(),
  /** `held`: the receiver is disabled. */
  state: z.enum(["waiting", "held", "delivered", "failed"]),
  connection_id: z.string().nullable(),
  provider_config_key: z.string().nullable(),
  operation_id: z.uuid().nullable(),
  /** Since it was queued, or queued again. */
  attempt_count: z.number().int(),
  last_status: z.number().int().nullable(),
  last_error: z.string().nullable(),
  next_attempt_at: timestamp.nullable(),
  created_at: timestamp,
  ended_at: timestamp.nullable(),
});

const wholeDelivery = delivery.extend({
  /** The bytes that are sent. */
  body: z.string(),
  /** In their order, those before a replay included. */
  attempts: z.array(
    z.strictObject({
      status: z.number().int().nullable(),
      error: z.string().nullable(),
      /** The first KB of what the receiver answered. */
      answer: z.string().nullable(),
      duration_ms: z.number().int(),
      created_at: timestamp,
    }),
  ),
});

const replay = z.strictObject({
  id: z.uuid(),
  /** Long ranges continue after the answer; what is queued is sent meanwhile. */
  state: z.enum(["running", "done"]),
  /** How many were queued again: so far while it is running, then in all. */
  replayed: z.number().int(),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
});

const idParams = z.strictObject({ id: z.uuid("must be the id of a delivery, a UUID") });
const name = z.string().min(1).max(255);

const filter = {
  type: type.optional(),
  connection_id: name.optional(),
  url: webAddress.optional(),
};

export const webhookDeliveryRoutes = {
  listWebhookDeliveries: defineRoute({
    method: "GET",
    path: "/webhooks/deliveries",
    summary: "List webhooks that were sent or wait to be, newest first",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    query: z.strictObject({
      state: z.enum(["waiting", "held", "delivered", "failed"]).optional(),
      ...filter,
      since: timestamp.optional(),
      until: timestamp.optional(),
      limit: wholeNumber({ min: 1, max: 500 }).optional(),
      cursor: z.string().min(1).max(200).optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: z.array(delivery), next_cursor: z.string().nullable() }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getWebhookDelivery: defineRoute({
    method: "GET",
    path: "/webhooks/deliveries/{id}",
    summary: "Get one webhook with its body and what the receiver answered to each attempt",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    params: idParams,
    success: { status: 200, schema: z.strictObject({ data: wholeDelivery }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  replayWebhookDelivery: defineRoute({
    method: "POST",
    path: "/webhooks/deliveries/{id}/replay",
    summary: "Send one webhook again, now, with its id and body and with eight attempts",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    params: idParams,
    success: { status: 200, schema: z.strictObject({ data: delivery }) },
    errors: ["not_found"],
    idempotent: true,
  }),
  replayWebhookDeliveries: defineRoute({
    method: "POST",
    path: "/webhooks/deliveries/replay",
    summary: "Send webhooks of a time again: those that failed, unless another state is named",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    body: z.strictObject({
      /** Of those made at this time or later. */
      since: timestamp,
      /** And before this one; now unless given. */
      until: timestamp.optional(),
      state: z.enum(["failed", "delivered", "any"]).optional(),
      ...filter,
    }),
    success: { status: 200, schema: z.strictObject({ data: replay }) },
    errors: [],
    idempotent: true,
  }),
  getWebhookReplay: defineRoute({
    method: "GET",
    path: "/webhooks/replays/{id}",
    summary: "Get how far a replay of webhooks has got",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    params: z.strictObject({ id: z.uuid("must be the id of a replay, a UUID") }),
    success: { status: 200, schema: z.strictObject({ data: replay }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  enableWebhookReceiver: defineRoute({
    method: "POST",
    path: "/webhooks/receivers/enable",
    summary: "Send to an address again after it was disabled; what was held goes out now",
    principals: ["environment"],
    scope: "environment:webhooks:write",
    body: z.strictObject({ url: webAddress }),
    success: { status: 200, schema: success },
    errors: ["not_found"],
    idempotent: true,
  }),
} as const;
