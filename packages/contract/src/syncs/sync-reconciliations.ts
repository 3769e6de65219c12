import * as z from "zod";
import {
  connectionId,
  connectionNeedsIntegration,
  integrationKey,
  modelName,
  nextCursor,
  pageQuery,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";

/** What webhooks missed, as the scheduled runs of the same syncs found out. */

const reconciliation = z
  .strictObject({
    provider_config_key: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["hubspot"] }),
    connection_id: z
      .string()
      .meta({ description: "The connection whose records changed.", examples: ["user-42"] }),
    model: z.string().meta({ description: "Name of the model.", examples: ["Contact"] }),
    day: z.iso.date().meta({ description: "The day, of UTC.", examples: ["2026-11-28"] }),
    scheduled_runs: z.number().int().describe("Scheduled runs that ended on that day."),
    changes_by_webhooks: z
      .number()
      .int()
      .describe("Records that `onWebhook` added, updated or deleted."),
    missed_by_webhooks: z
      .number()
      .int()
      .describe(
        "Records that scheduled runs added, updated or deleted: no webhook had brought the change by then.",
      ),
  })
  .meta({
    id: "SyncReconciliation",
    description: "Changes of a model on a day, by who brought them.",
  });

export const syncReconciliationRoutes = {
  listReconciliations: defineRoute({
    method: "GET",
    path: "/syncs/reconciliations",
    summary: "List what webhooks missed and scheduled runs found, by day",
    principals: ["environment"],
    scope: "environment:syncs:read",
    query: z
      .strictObject({
        provider_config_key: integrationKey
          .optional()
          .describe("Only connections of this integration."),
        connection_id: connectionId
          .optional()
          .describe("Only this connection; together with `provider_config_key`."),
        model: modelName.optional().describe("Only this model."),
        missed: z
          .enum(["true", "false"])
          .optional()
          .describe("`true`: only days on which webhooks missed something. Default `false`."),
        ...pageQuery("Days of models", { most: 500, usual: 100 }),
      })
      .refine(...connectionNeedsIntegration),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(reconciliation).describe("The page, newest day first."),
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
