import * as z from "zod";
import { connectionId, functionName, integrationKey, jsonObject, timestamp } from "./fields.ts";
import { defineRoute } from "./route.ts";
import { camelCaseOf } from "./synonyms.ts";

/** Syncs: functions that run on a schedule per connection. */

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

const placeSynonyms = camelCaseOf("provider_config_key", "connection_id");

/** Names the sync as `sync`, or as `sync_name` and `sync_variant`; both are taken when they agree. */
const frequencyChange = z
  .strictObject({
    sync: syncReference.optional(),
    sync_name: functionName.optional(),
    sync_variant: variantName.optional(),
    provider_config_key: integrationKey,
    connection_id: connectionId,
    frequency: z.string().max(255).nullable(),
  })
  .refine(({ sync, sync_name }) => sync !== undefined || sync_name !== undefined, {
    path: ["sync_name"],
    message: "is missing",
  })
  .refine(
    ({ sync, sync_name = sync?.name, sync_variant = sync?.variant }) =>
      sync === undefined || (sync.name === sync_name && sync.variant === sync_variant),
    { path: ["sync"], message: "is another sync than `sync_name`; send one of the two" },
  );

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
    headers: z.looseObject({
      "provider-config-key": integrationKey.optional(),
      "connection-id": connectionId.optional(),
    }),
    query: z.strictObject({
      provider_config_key: integrationKey.optional(),
      connection_id: connectionId.optional(),
    }),
    body: syncTarget.extend({
      provider_config_key: integrationKey.optional(),
      opts: z
        .strictObject({ reset: z.boolean().default(false), emptyCache: z.boolean().default(false) })
        .optional(),
      sync_mode: z
        .enum(["incremental", "full_refresh", "full_refresh_and_clear_cache"])
        .optional()
        .meta({ deprecated: true }),
      full_resync: z.boolean().optional().meta({ deprecated: true }),
    }),
    synonyms: { query: placeSynonyms, body: placeSynonyms },
    success: { status: 200, schema: z.strictObject({ success: z.literal(true) }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      "unknown_connection",
      "no_syncs_found",
      "missing_provider_config_key",
    ],
    messageNextToError: true,
    idempotent: true,
  }),
  pauseSyncs: defineRoute({
    method: "POST",
    path: "/sync/pause",
    summary: "Stop running syncs on their schedule; a run in progress is cancelled",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    body: syncTarget,
    synonyms: { body: placeSynonyms },
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
    synonyms: { body: placeSynonyms },
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
    synonyms: { body: placeSynonyms },
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
    body: frequencyChange,
    synonyms: { body: { ...placeSynonyms, ...camelCaseOf("sync_name", "sync_variant") } },
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
    synonyms: { body: placeSynonyms },
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
    synonyms: { body: placeSynonyms },
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
    synonyms: { query: placeSynonyms },
    success: { status: 200, schema: z.strictObject({ syncs: z.array(syncStatus) }) },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
    ],
    idempotent: false,
  }),
} as const;
