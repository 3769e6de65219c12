import * as z from "zod";
import { integrationKey, nextCursor, pageQuery, timestamp } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";

/** Whether webhooks of providers arrive for each integration, and why some are rejected. */

const reason = z
  .enum([
    "no_secret",
    "missing_signature",
    "invalid_signature",
    "invalid_payload",
    "too_large",
    "rate_limited",
    "no_room",
  ])
  .meta({
    id: "WebhookRejectionReason",
    description:
      "`no_secret`: the provider signs its webhooks, and the integration has no secret to verify them with; they are stored as not verified, or refused where the provider's webhooks are only taken signed. `missing_signature`, `invalid_signature`: refused with 401. `invalid_payload`: not what the provider sends. `too_large`, `rate_limited`, `no_room`: refused by a limit.",
  });

const rejected = z
  .strictObject({
    last_at: timestamp.describe("When the last one came."),
    last_reason: reason.describe("Why the last one was rejected."),
    last_24h: z
      .number()
      .int()
      .min(0)
      .describe("How many came in the last 24 hours, by full hours."),
    reasons: z
      .array(
        z
          .strictObject({
            reason: reason.describe("Why they were rejected."),
            count: z.number().int().min(0).describe("How many, in the last 24 hours."),
          })
          .meta({ id: "WebhookRejections", description: "Rejected webhooks of one reason." }),
      )
      .describe("The same by reason, the most frequent first."),
  })
  .meta({
    id: "RejectedWebhooks",
    description: "Webhooks that were refused, or that nothing proves although the provider signs.",
  });

const intake = z
  .strictObject({
    provider_config_key: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["hubspot"] }),
    last_received_at: timestamp
      .nullable()
      .describe(
        "When the last webhook was stored, no matter how long webhooks are kept; null if none ever was.",
      ),
    last_verified_at: timestamp
      .nullable()
      .describe("When the last webhook came that was verified; null if none was."),
    rejected: rejected.nullable().describe("Those that were rejected; null if none ever was."),
  })
  .meta({
    id: "WebhookIntake",
    description:
      "Whether webhooks arrive for an integration. Webhooks of the last five seconds may be missing.",
  });

export const inboxIntegrationRoutes = {
  listWebhookIntake: defineRoute({
    method: "GET",
    path: "/webhooks/inbox/integrations",
    summary: "List when webhooks last came for each integration, and which were rejected",
    principals: ["environment"],
    scope: "environment:webhooks:read",
    query: z.strictObject({
      provider_config_key: integrationKey.optional().describe("Only this integration."),
      ...pageQuery("Integrations", { most: 500, usual: 100 }),
    }),
    synonyms: { query: camelCaseOf("provider_config_key") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(intake).describe("The page of integrations, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: [{ code: "unknown_provider_config", status: 400 }, "invalid_cursor"],
    idempotent: false,
  }),
} as const;
