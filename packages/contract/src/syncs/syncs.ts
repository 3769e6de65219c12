import * as z from "zod";
import {
  connectionId,
  functionName,
  integrationKey,
  jsonObject,
  success,
  timestamp,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import { syncListRoutes } from "./sync-lists.ts";

/** Syncs: functions that run on a schedule per connection. */

const variantName = functionName;

/** `name`, `name::variant` or `{name, variant}`. */
export const syncReference = z
  .union([
    z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,255}(::[a-zA-Z0-9_-]{1,255})?$/, "must be `name` or `name::variant`")
      .transform((text) => {
        const [name = text, variant = "base"] = text.split("::");
        return { name, variant };
      }),
    z.strictObject({
      name: functionName.describe("Name of the sync."),
      variant: variantName
        .default("base")
        .describe("Variant of the sync; `base` is the sync itself."),
    }),
  ])
  .meta({
    id: "SyncReference",
    description: "A sync: `name`, `name::variant`, or `{name, variant}`.",
    examples: ["contacts"],
  });

const syncTarget = z.strictObject({
  syncs: z
    .array(syncReference)
    .max(256)
    .meta({
      description: "The syncs, at most 256. An empty list means all of the integration.",
      examples: [["contacts"]],
    }),
  provider_config_key: integrationKey.describe("Integration of the syncs."),
  connection_id: connectionId
    .optional()
    .describe("Only for this connection. Default: for all connections of the integration."),
});

const placeSynonyms = camelCaseOf("provider_config_key", "connection_id");

/** Names the sync as `sync`, or as `sync_name` and `sync_variant`; both are taken when they agree. */
const frequencyChange = z
  .strictObject({
    sync: syncReference.optional().describe("The sync; send this or `sync_name`."),
    sync_name: functionName
      .optional()
      .meta({ description: "Name of the sync.", examples: ["contacts"] }),
    sync_variant: variantName.optional().describe("Variant of the sync. Default `base`."),
    provider_config_key: integrationKey.describe("Integration of the sync."),
    connection_id: connectionId.describe("Connection for which the frequency is set."),
    frequency: z
      .string()
      .max(255)
      .nullable()
      .meta({
        description:
          "How often the sync runs, such as `every 2 hours`; at least 30 seconds apart. Null: as deployed.",
        examples: ["every 2 hours"],
      }),
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

const syncStatus = z
  .strictObject({
    id: z.string().describe("Id of the sync of this connection."),
    connection_id: z.string().meta({ description: "The connection.", examples: ["user-42"] }),
    name: z.string().meta({ description: "Name of the sync.", examples: ["contacts"] }),
    variant: z.string().describe("Variant of the sync; `base` is the sync itself."),
    type: z
      .enum(["INITIAL", "INCREMENTAL"])
      .describe(
        "`INITIAL` when its latest run was a full one, or none has been; otherwise `INCREMENTAL`.",
      ),
    status: z
      .enum(["RUNNING", "PAUSED", "STOPPED", "SUCCESS", "ERROR"])
      .describe(
        "`RUNNING`, `PAUSED`, `SUCCESS` (it waits for its next run), or `ERROR` (its latest run failed). `STOPPED` is not used at present.",
      ),
    frequency: z
      .string()
      .nullable()
      .meta({
        description:
          "How often it runs, as set for this connection or as deployed; null when it has no schedule.",
        examples: ["5 minutes"],
      }),
    finishedAt: timestamp
      .optional()
      .describe("When its latest run ended; absent while it runs, and before the first."),
    nextScheduledSyncAt: timestamp
      .nullable()
      .describe("When it runs next; null while it is paused."),
    latestResult: z
      .record(
        z.string(),
        z.strictObject({
          added: z.number().describe("Records that were added."),
          updated: z.number().describe("Records that were updated."),
          deleted: z.number().describe("Records that were deleted."),
        }),
      )
      .describe("What its latest run changed, by model."),
    latestExecutionStatus: z
      .enum(["RUNNING", "SUCCESS", "STOPPED"])
      .nullable()
      .describe(
        "State of its latest run; `STOPPED` after a failure or a cancellation. Null before the first run.",
      ),
    recordCount: z.record(z.string(), z.number()).describe("Records that are stored, by model."),
    checkpoint: jsonObject
      .nullable()
      .describe("What the sync has saved to continue from; null before it saves one."),
    consecutive_failures: z
      .number()
      .int()
      .optional()
      .describe("Scheduled runs that failed in a row; absent below 5."),
  })
  .meta({ id: "SyncStatus", description: "State of a sync for one connection." });

const variantParams = z.strictObject({
  name: functionName.meta({ description: "Name of the sync.", examples: ["contacts"] }),
  variant: variantName.meta({
    description: "Name of the variant; not `base`, which is the sync itself.",
    examples: ["v2"],
  }),
});
const variantPlace = z.strictObject({
  provider_config_key: integrationKey.describe("Integration of the sync."),
  connection_id: connectionId.describe("Connection that the variant is for."),
});

/** What routes have in common that change the syncs that a body names. */
const ofSyncs = {
  body: syncTarget,
  synonyms: { body: placeSynonyms },
  success: { status: 200, schema: success },
  errors: [
    { code: "unknown_provider_config", status: 400 },
    { code: "unknown_connection", status: 400 },
    "no_syncs_found",
  ],
  idempotent: false,
} as const;

export const syncRoutes = {
  triggerSyncs: defineRoute({
    method: "POST",
    path: "/sync/trigger",
    summary: "Run syncs now; a trigger during a run leads to one run after it",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    headers: z.looseObject({
      "provider-config-key": integrationKey
        .optional()
        .describe("Integration of the syncs; can be sent in the query or the body instead."),
      "connection-id": connectionId
        .optional()
        .describe("Only for this connection; can be sent in the query or the body instead."),
    }),
    query: z.strictObject({
      provider_config_key: integrationKey
        .optional()
        .describe("Integration of the syncs; can be sent in a header or the body instead."),
      connection_id: connectionId
        .optional()
        .describe("Only for this connection; can be sent in a header or the body instead."),
    }),
    body: syncTarget.extend({
      provider_config_key: integrationKey
        .optional()
        .describe("Integration of the syncs; can be sent in a header or the query instead."),
      opts: z
        .strictObject({
          reset: z
            .boolean()
            .default(false)
            .describe(
              "`true` forgets checkpoints and the last run, so that the sync begins from the start; a run in progress is cancelled.",
            ),
          emptyCache: z
            .boolean()
            .default(false)
            .describe("`true` also deletes the stored records first; only together with `reset`."),
        })
        .optional()
        .describe("How to run them. Default: a run that continues from the last."),
      sync_mode: z
        .enum(["incremental", "full_refresh", "full_refresh_and_clear_cache"])
        .optional()
        .meta({ deprecated: true })
        .meta({ deprecated: true, description: "Deprecated: use `opts`." }),
      full_resync: z
        .boolean()
        .optional()
        .meta({ deprecated: true })
        .meta({ deprecated: true, description: "Deprecated: use `opts.reset`." }),
    }),
    synonyms: { query: placeSynonyms, body: placeSynonyms },
    success: { status: 200, schema: success },
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
    ...ofSyncs,
  }),
  startSyncs: defineRoute({
    method: "POST",
    path: "/sync/start",
    summary: "Run syncs on their schedule again",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    ...ofSyncs,
  }),
  confirmDeletes: defineRoute({
    method: "POST",
    path: "/sync/confirm-deletes",
    summary: "Let the next run of a sync delete as many records as the delete guard has refused",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    body: z.strictObject({
      sync: syncReference.describe("Sync whose run was stopped by the delete guard."),
      provider_config_key: integrationKey.describe("Integration of the sync."),
      connection_id: connectionId.describe("Connection of the sync."),
    }),
    synonyms: { body: placeSynonyms },
    success: {
      status: 200,
      schema: z.strictObject({
        allowed: z
          .array(
            z
              .strictObject({
                model: z.string().describe("The model."),
                deletes: z.number().int().describe("How many of its records."),
              })
              .meta({
                id: "AllowedDeletes",
                description: "How many records of a model may be deleted.",
              }),
          )
          .describe("What the next run may delete."),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
      "no_syncs_found",
      "no_refused_deletes",
    ],
    stepUp: "production",
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
    success: {
      status: 200,
      schema: z.strictObject({
        frequency: z.string().meta({
          description: "The frequency that now holds, in its stored form.",
          examples: ["2 hours"],
        }),
      }),
    },
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
    summary: "Add a variant of a sync for one connection, with its own schedule and records",
    principals: ["environment"],
    scope: "environment:syncs:variant:create",
    params: variantParams,
    body: variantPlace,
    synonyms: { body: placeSynonyms },
    success: {
      status: 200,
      schema: z
        .strictObject({
          id: z.string().describe("Id of the variant for this connection."),
          name: z.string().describe("Name of the sync."),
          variant: z.string().describe("Name of the variant."),
        })
        .meta({ id: "SyncVariant" }),
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
    success: { status: 200, schema: success },
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
    summary: "Get the state of syncs: schedule, last result, record counts",
    principals: ["environment"],
    scope: "environment:syncs:read",
    query: z.strictObject({
      syncs: z
        .string()
        .min(1)
        .max(4096)
        .meta({
          description: "Names separated by commas, `name::variant` for a variant; `*` for all.",
          examples: ["*"],
        }),
      provider_config_key: integrationKey.describe("Integration of the syncs."),
      connection_id: connectionId
        .optional()
        .describe("Only this connection. Default: all connections of the integration."),
    }),
    synonyms: { query: placeSynonyms },
    success: {
      status: 200,
      schema: z.strictObject({
        syncs: z
          .array(syncStatus)
          .describe(
            "One status for each sync and connection. A long list is written while you read it; if that fails midway, the connection is closed before the list ends. `GET /syncs` has pages.",
          ),
      }),
    },
    errors: [
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 400 },
    ],
    idempotent: false,
  }),
  ...syncListRoutes,
} as const;
