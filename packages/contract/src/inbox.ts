import * as z from "zod";
import { integrationKey, timestamp, wholeNumber } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Webhooks of providers: received, kept and read again. */

const state = z.enum(["waiting", "handled", "duplicate", "failed"]);

const inboundWebhook = z.strictObject({
  id: z.uuid(),
  provider_config_key: z.string().nullable(),
  received_at: timestamp,
  /** `signature`: proven to be the provider's; `none`: taken without proof. */
  verified: z.enum(["signature", "none"]),
  state,
  /** What the events are called by the provider, by which syncs subscribe to them. */
  types: z.array(z.string()),
  /** Of the body, in bytes. */
  size: z.number().int(),
  /** False once headers and body were deleted to make room in the inbox. */
  has_request: z.boolean(),
  attempts: z.number().int(),
  error: z.string().nullable(),
  handled_at: timestamp.nullable(),
  /** Its operation in the logs, once it was handled. */
  operation_id: z.uuid().nullable(),
});

const idParams = z.strictObject({ id: z.uuid() });

export const inboxRoutes = {
  receiveWebhook: defineRoute({
    method: "ANY",
    methods: ["POST", "GET", "HEAD"],
    path: "/webhook/{environmentUuid}/{providerConfigKey}",
    summary: "Take a provider's webhook: verified, stored, then answered; handled afterwards",
    principals: ["public"],
    scope: "public",
    params: z.strictObject({ environmentUuid: z.uuid(), providerConfigKey: integrationKey }),
    bodyLimit: "webhook",
    success: { status: 200, schema: z.strictObject({ status: z.literal("success") }) },
    errors: [
      "unknown_environment",
      "unknown_provider_config",
      "webhook_missing_signature",
      "webhook_invalid_signature",
      "webhook_invalid_secret",
      "webhook_invalid_payload",
      "request_too_large",
      "request_timeout",
      "too_many_request",
      "overloaded",
    ],
    idempotent: false,
    raw: true,
    wholeBody: true,
  }),
  listInbox: defineRoute({
    method: "GET",
    path: "/webhooks/inbox",
    summary: "List webhooks that providers have sent, newest first",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    query: z.strictObject({
      provider_config_key: integrationKey.optional(),
      state: state.optional(),
      from: timestamp.optional(),
      to: timestamp.optional(),
      limit: wholeNumber({ min: 1, max: 500 }).optional(),
      cursor: z.string().min(1).max(200).optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(inboundWebhook),
        /** Null at the end. */
        next_cursor: z.string().nullable(),
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
    synonyms: { query: { providerConfigKey: "provider_config_key" } },
  }),
  getInboundWebhook: defineRoute({
    method: "GET",
    path: "/webhooks/inbox/{id}",
    summary: "Get a received webhook with its headers; credentials among them are left out",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    params: idParams,
    success: {
      status: 200,
      schema: z.strictObject({
        data: inboundWebhook.extend({
          method: z.string(),
          url: z.string(),
          headers: z.record(z.string(), z.string()),
        }),
      }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  getInboundWebhookBody: defineRoute({
    method: "GET",
    path: "/webhooks/inbox/{id}/body",
    summary: "Get the body of a received webhook: the very bytes that its signature covers",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    params: idParams,
    success: { status: 200 },
    errors: ["not_found"],
    idempotent: false,
    raw: true,
  }),
} as const;
