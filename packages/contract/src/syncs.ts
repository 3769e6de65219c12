import * as z from "zod";
import { connectionId, functionName, integrationKey, jsonObject, timestamp } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Syncs: functions that run on a schedule per connection. Source: HTTP contract 2.9. */

const variantName = functionName;

/** `name`, `name::variant` or `{name, variant}`. */
export const syncReference = z.union([
  z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,255}(::[a-zA-Z0-9_-]{1,255})?$/, "is `name` or `name::variant`")
    .transform((text) => {
      const [name = text, variant = "base"] = text.split("::");
      return { name, variant };
    }),
  z.strictObject({ name: functionName, variant: variantName.default("base") }),
]);

const syncTarget = z.strictObject({
  syncs: z.array(syncReference).max(256),
  provider_config_key: integrationKey,
  connection_id: connectionId.optional(),
});

const syncStatus = z.strictObject({
  id: z.string(),
  connection_id: z.string(),
  name: z.string(),
  variant: z.string(),
  type: z.enum(["INITIAL", "INCREMENTAL"]),
  status: z.enum(["RUNNING", "PAUSED", "STOPPED", "SUCCESS", "ERROR"]),
  frequency: z.string().nullable(),
  finishedAt: timestamp.optional(),
  nextScheduledSyncAt: timestamp.nullable(),
  latestResult: z.record(
    z.string(),
    z.strictObject({ added: z.number(), updated: z.number(), deleted: z.number() }),
  ),
  latestExecutionStatus: z.enum(["RUNNING", "SUCCESS", "STOPPED"]).nullable(),
  recordCount: z.record(z.string(), z.number()),
  checkpoint: jsonObject.nullable(),
});

export const syncRoutes = {
  triggerSyncs: defineRoute({
    method: "POST",
    path: "/sync/trigger",
    summary: "Run syncs now; a trigger during a run leads to one run after it",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    body: syncTarget.extend({
      opts: z
        .strictObject({ reset: z.boolean().default(false), emptyCache: z.boolean().default(false) })
        .optional(),
      sync_mode: z.enum(["incremental", "full_refresh", "full_refresh_and_clear_cache"]).optional(),
    }),
    success: { status: 200, schema: z.strictObject({ success: z.literal(true) }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      "unknown_connection",
      "no_syncs_found",
    ],
    idempotent: true,
  }),
  pauseSyncs: defineRoute({
    method: "POST",
    path: "/sync/pause",
    summary: "Stop running syncs on their schedule; a run in progress is cancelled",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    body: syncTarget,
    success: { status: 200, schema: z.strictObject({ success: z.literal(true) }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "no_syncs_found",
    ],
    idempotent: false,
  }),
  startSyncs: defineRoute({
    method: "POST",
    path: "/sync/start",
    summary: "Run syncs on their schedule again",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    body: syncTarget,
    success: { status: 200, schema: z.strictObject({ success: z.literal(true) }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "no_syncs_found",
    ],
    idempotent: false,
  }),
  getSyncStatus: defineRoute({
    method: "GET",
    path: "/sync/status",
    summary: "How syncs stand: state, schedule, last result, record counts",
    principals: ["environment"],
    scope: "environment:syncs:read",
    query: z.strictObject({
      syncs: z.string().min(1).max(4096),
      provider_config_key: integrationKey,
      connection_id: connectionId.optional(),
    }),
    success: { status: 200, schema: z.strictObject({ syncs: z.array(syncStatus) }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
    ],
    idempotent: false,
  }),
} as const;
