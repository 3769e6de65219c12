import * as z from "zod";
import { connectionId, functionName, integrationKey, jsonObject, timestamp } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Syncs: functions that run on a schedule per connection. Source: HTTP contract 2.9. */

const variantName = functionName;

/** `name`, `name::variant` or `{name, variant}`. */
export const syncReference = z.union([
  z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,255}(::[a-zA-Z0-9_-]{1,255})?$/, "must be `name` or `name::variant`")
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
  /** Slots in a row whose run failed, from the fifth on. */
  consecutive_failures: z.number().int().optional(),
});

const variantParams = z.strictObject({ name: functionName, variant: variantName });
const variantPlace = z.strictObject({
  provider_config_key: integrationKey,
  connection_id: connectionId,
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
  confirmDeletes: defineRoute({
    method: "POST",
    path: "/sync/confirm-deletes",
    summary: "Let the next run of a sync delete as many records as the delete guard has refused",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    body: z.strictObject({
      sync: syncReference,
      provider_config_key: integrationKey,
      connection_id: connectionId,
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        allowed: z.array(z.strictObject({ model: z.string(), deletes: z.number().int() })),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "no_syncs_found",
      "no_refused_deletes",
    ],
    idempotent: true,
  }),
  updateSyncConnectionFrequency: defineRoute({
    method: "PUT",
    path: "/sync/update-connection-frequency",
    summary:
      "Set how often a sync runs for one connection; null for the frequency that is deployed",
    principals: ["environment"],
    scope: "environment:syncs:update",
    body: z.strictObject({
      sync_name: functionName,
      sync_variant: variantName.default("base"),
      provider_config_key: integrationKey,
      connection_id: connectionId,
      frequency: z.string().max(255).nullable(),
    }),
    success: { status: 200, schema: z.strictObject({ frequency: z.string() }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "unknown_sync",
    ],
    idempotent: true,
  }),
  createSyncVariant: defineRoute({
    method: "POST",
    path: "/sync/{name}/variant/{variant}",
    summary: "Add a variant of a sync for one connection, with a schedule and records of its own",
    principals: ["environment"],
    scope: "environment:syncs:variant:create",
    params: variantParams,
    body: variantPlace,
    success: {
      status: 200,
      schema: z.strictObject({ id: z.string(), name: z.string(), variant: z.string() }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "unknown_sync",
      "invalid_variant",
      "sync_variant_already_exists",
      "resource_capped",
    ],
    idempotent: true,
  }),
  deleteSyncVariant: defineRoute({
    method: "DELETE",
    path: "/sync/{name}/variant/{variant}",
    summary: "Remove a variant of a sync, its checkpoint and its records",
    principals: ["environment"],
    scope: "environment:syncs:variant:delete",
    params: variantParams,
    body: variantPlace,
    success: { status: 200, schema: z.strictObject({ success: z.literal(true) }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "invalid_variant",
      "not_found",
    ],
    idempotent: true,
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
