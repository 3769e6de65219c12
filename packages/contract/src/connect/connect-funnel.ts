import * as z from "zod";
import { integrationKey } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";

/** How far end users come when they connect. */

const day = z.iso.date();
const count = z.number().int().min(0);

const funnel = z
  .strictObject({
    provider_config_key: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["hubspot"] }),
    sessions: count.describe("Sessions that offered the integration."),
    opened: count.describe(
      "Of these, those whose page was opened. A client without the hosted page counts when it starts.",
    ),
    chosen: count.describe("Of these, those in which the end user chose the integration."),
    started: count.describe("Of these, those that started to authorize it, or sent credentials."),
    completed: count.describe("Of these, those that made a connection."),
    failed: count.describe(
      "Of those that started, those that failed and made no connection later.",
    ),
    abandoned: count.describe(
      "Of those that started, those that neither failed nor made a connection: the end user left, or is at the provider now.",
    ),
    failures: z
      .array(
        z
          .strictObject({
            reason: z.string().meta({
              description:
                "Code of the session's first failure, as in the failure webhook; `other` for one without a code.",
              examples: ["authorization_cancelled"],
            }),
            count: count.describe("Sessions that failed so."),
          })
          .meta({ id: "ConnectFailures", description: "Sessions that failed for one reason." }),
      )
      .describe("Why sessions failed, the most frequent reason first."),
  })
  .meta({
    id: "ConnectFunnel",
    description:
      "How far end users came with an integration. A session counts once for each step, on the day it was created.",
  });

export const connectFunnelRoutes = {
  listConnectFunnel: defineRoute({
    method: "GET",
    path: "/connect/funnel",
    summary: "Count how far end users came when they connected, by integration",
    principals: ["environment"],
    scope: "environment:connect_sessions:read",
    query: z.strictObject({
      provider_config_key: integrationKey.optional().describe("Only this integration."),
      from: day.optional().meta({
        description:
          "First day (UTC, `YYYY-MM-DD`) on which sessions were created. Default: 29 days before today. Counts are kept for 90 days.",
        examples: ["2026-01-01"],
      }),
      to: day.optional().meta({
        description: "Last day (UTC, `YYYY-MM-DD`), included. Default: today.",
        examples: ["2026-01-31"],
      }),
    }),
    synonyms: { query: camelCaseOf("provider_config_key") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(funnel)
          .describe("The integrations that had sessions of their own on these days, by key."),
      }),
    },
    errors: [{ code: "unknown_provider_config", status: 400 }],
    idempotent: false,
  }),
} as const;
