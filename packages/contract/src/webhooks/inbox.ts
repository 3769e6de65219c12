import * as z from "zod";
import {
  connectionId,
  connectionNeedsIntegration,
  integrationKey,
  nextCursor,
  pageQuery,
  timestamp,
  uuid,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";

/** Webhooks of providers: received, kept and read again. */

const state = z.enum(["waiting", "handled", "duplicate", "failed"]).meta({
  id: "InboundWebhookState",
  description:
    "`waiting` to be handled, `handled`, `duplicate` (an event that came before, not handled again), or `failed`.",
});

const inboundWebhook = z
  .strictObject({
    id: uuid.describe("Id of the webhook."),
    provider_config_key: z
      .string()
      .nullable()
      .describe("Integration that it came for; null once the integration is deleted."),
    received_at: timestamp.describe("When it was received."),
    verified: z
      .enum(["signature", "none"])
      .describe("`signature`: proven to be the provider's; `none`: accepted without proof."),
    state: state.describe("What became of it."),
    types: z
      .array(z.string())
      .describe("Names of its events at the provider, by which syncs subscribe to them."),
    size: z.number().int().describe("Size of the body in bytes."),
    has_request: z
      .boolean()
      .describe("`false` once headers and body were deleted to make room in the inbox."),
    attempts: z.number().int().describe("How often handling it has begun."),
    error: z.string().nullable().describe("Why it could not be handled; null when nothing failed."),
    handled_at: timestamp.nullable().describe("When it was handled; null before."),
    operation_id: uuid
      .nullable()
      .describe("Its operation in the logs; null before it was handled."),
  })
  .meta({ id: "InboundWebhook", description: "A webhook that a provider has sent." });

const listedWebhook = inboundWebhook
  .extend({
    connections: z
      .array(z.string())
      .describe(
        "Ids of up to 5 connections of the integration for which one of its events was passed on; empty before it was handled, and where none fits.",
      ),
  })
  .meta({
    id: "ListedInboundWebhook",
    description: "A webhook that a provider has sent, with the connections that it is about.",
  });

const inboundEvent = z
  .strictObject({
    types: z.array(z.string()).describe("Names of the event at the provider, the closest first."),
    looked_for: z
      .array(
        z
          .strictObject({
            property: z.string().meta({
              description:
                "Where a connection has to have the value: `connectionId`, or a name in `config` (its connection configuration) or `metadata`.",
              examples: ["config.portalId"],
            }),
            value: z.string().describe("The value that the event names, up to 255 characters."),
          })
          .meta({ id: "InboundEventMatch", description: "By what a connection is looked for." }),
      )
      .describe(
        "By what its connections are looked for, in this order: the first that any connection fits decides. Empty where the event names nothing, and with `for_all`.",
      ),
    for_all: z
      .boolean()
      .describe(
        "Whether it is for every connection of the integration, so that none is looked for.",
      ),
    connections: z
      .array(z.string())
      .describe("Ids of up to 20 connections that it fits now; empty with `for_all`."),
  })
  .meta({ id: "InboundEvent", description: "An event in a webhook, and whose it is." });

const idParams = z.strictObject({ id: uuid.describe("Id of the received webhook.") });

export const inboxRoutes = {
  receiveWebhook: defineRoute({
    method: "ANY",
    methods: ["POST", "GET", "HEAD"],
    path: "/webhook/{environmentUuid}/{providerConfigKey}",
    summary: "Take a provider's webhook: verified, stored, then answered; handled afterwards",
    principals: ["public"],
    scope: "public",
    params: z.strictObject({
      environmentUuid: uuid.describe("Environment of the integration, by its id."),
      providerConfigKey: integrationKey.describe("Integration that the webhook is for."),
    }),
    bodyLimit: "webhook",
    success: {
      status: 200,
      schema: z.strictObject({
        status: z
          .literal("success")
          .describe("Always `success`: the webhook is stored and will be handled."),
      }),
    },
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
    sessions: "refused",
    wholeBody: true,
  }),
  listInbox: defineRoute({
    method: "GET",
    path: "/webhooks/inbox",
    summary: "List webhooks that providers have sent, newest first",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    query: z
      .strictObject({
        provider_config_key: integrationKey
          .optional()
          .describe("Only webhooks of this integration."),
        connection_id: connectionId
          .optional()
          .describe(
            "Only webhooks with an event that was passed on for this connection of the integration; together with `provider_config_key`. Webhooks that wait, that failed, or that were handled before the upgrade to a release that notes this are not among them.",
          ),
        state: state.optional().describe("Only webhooks in this state."),
        type: z
          .string()
          .min(1)
          .max(255)
          .optional()
          .describe("Only webhooks with an event of this name at the provider."),
        from: timestamp.optional().describe("Only webhooks received at this time or later."),
        to: timestamp.optional().describe("Only webhooks received up to this time."),
        ...pageQuery("Webhooks", { most: 500, usual: 100 }),
      })
      .refine(...connectionNeedsIntegration),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(listedWebhook).describe("The page of webhooks, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_cursor",
    ],
    idempotent: false,
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
  }),
  getInboundWebhook: defineRoute({
    method: "GET",
    path: "/webhooks/inbox/{id}",
    summary: "Get a received webhook with its headers; credentials among them are omitted",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    params: idParams,
    success: {
      status: 200,
      schema: z.strictObject({
        data: inboundWebhook
          .extend({
            method: z.string().describe("HTTP method of the request."),
            url: z.string().describe("Path and query of the request."),
            headers: z
              .record(z.string(), z.string())
              .describe(
                "Headers of the request, names in lower case, without `authorization`, `proxy-authorization` and `cookie`.",
              ),
            events: z
              .array(inboundEvent)
              .describe(
                "Up to 20 of its events, with the connections that they fit now; empty where the body cannot be read, or the integration is deleted.",
              ),
          })
          .meta({ id: "InboundWebhookWithHeaders", description: "The webhook with its headers." }),
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
    sessions: "refused",
  }),
  revealInboundWebhookBody: defineRoute({
    method: "POST",
    path: "/webhooks/inbox/{id}/reveal",
    summary: "Show the body of a received webhook to a person; each call is in the audit log",
    principals: ["environment"],
    scope: "environment:secrets:reveal",
    stepUp: "always",
    noStore: true,
    params: idParams,
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            base64: z.string().meta({
              description: "The first 256 KB of the body as the provider sent it, in base64.",
              examples: ["eyJpZCI6MX0="],
            }),
            size: z.number().int().describe("Size of the whole body in bytes."),
            is_cut: z.boolean().describe("Whether the body has more than `base64` holds."),
          })
          .meta({ id: "RevealedWebhookBody", description: "Body of a received webhook." }),
      }),
    },
    errors: ["not_found"],
    idempotent: false,
    leavesCaches: true,
  }),
  replayInboundWebhook: defineRoute({
    method: "POST",
    path: "/webhooks/inbox/{id}/replay",
    summary: "Handle a received webhook again, although its events were handled before",
    principals: ["environment"],
    scope: ["environment:webhooks:replay", "environment:webhooks:write"],
    params: idParams,
    success: {
      status: 200,
      schema: z.strictObject({ data: inboundWebhook.describe("The webhook, which waits again.") }),
    },
    errors: ["not_found"],
    idempotent: true,
    leavesCaches: true,
  }),
  replayInboundWebhooks: defineRoute({
    method: "POST",
    path: "/webhooks/inbox/replay",
    summary: "Handle received webhooks of a time again: those that failed, unless all are named",
    principals: ["environment"],
    scope: ["environment:webhooks:replay", "environment:webhooks:write"],
    body: z
      .strictObject({
        from: timestamp.describe("Replays webhooks received at this time or later."),
        to: timestamp
          .optional()
          .describe("Replays webhooks received before this time. Default: now."),
        state: z
          .enum(["failed", "any"])
          .optional()
          .describe("`failed`: those that could not be handled; `any`: all. Default `failed`."),
        provider_config_key: integrationKey
          .optional()
          .describe("Only webhooks of this integration."),
        connection_id: connectionId
          .optional()
          .describe(
            "Only webhooks with an event that was passed on for this connection of the integration; together with `provider_config_key`, and with the state `any`. Each is handled again for all that it is about.",
          ),
      })
      .refine(...connectionNeedsIntegration)
      .refine(
        ({ state, connection_id: connection }) => connection === undefined || state === "any",
        {
          message: "needs the state any: what could not be handled was passed on for nobody",
          path: ["connection_id"],
        },
      )
      .meta({ id: "InboxReplay" }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .strictObject({
            replayed: z.number().int().describe("Webhooks that wait again: at most 1,000."),
            next_from: timestamp
              .nullable()
              .describe(
                "Where to begin the next call, as there are more; null when all of the time wait.",
              ),
          })
          .meta({ id: "InboxReplayed", description: "What was queued again, oldest first." }),
      }),
    },
    errors: ["unknown_provider_config", { code: "unknown_connection", status: 400 }],
    idempotent: true,
    leavesCaches: true,
  }),
} as const;
