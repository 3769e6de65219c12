import * as z from "zod";
import {
  connectionId,
  functionName,
  includeOf,
  integrationKey,
  jsonObject,
  nextCursor,
  pageQuery,
  timestamp,
  uuid,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";

/** The syncs of a whole environment, and their runs. */

export const syncState = z.enum(["ok", "running", "failing", "paused", "disabled"]).meta({
  id: "SyncState",
  description:
    "`ok`: it waits for its next run; `running`: it runs, or its run is queued; `failing`: its last scheduled run failed, with its retries, also while it runs again; `paused`: it was taken off its schedule for this connection; `disabled`: its function is disabled.",
});

const runState = z.enum(["waiting", "running", "success", "failed", "cancelled"]);

const changes = z
  .strictObject({
    added: z.number().int().describe("Records that were added."),
    updated: z.number().int().describe("Records that were updated."),
    deleted: z.number().int().describe("Records that were deleted."),
    unchanged: z.number().int().describe("Records that were saved again as they were."),
    quarantined: z
      .number()
      .int()
      .optional()
      .describe(
        "Records that did not match their schema and were not saved (`GET /records/quarantine`). Absent for none.",
      ),
  })
  .meta({ id: "RunChanges", description: "What a run did to the records of a model." });

const runFailure = z
  .strictObject({
    type: z.string().meta({ description: "Kind of the failure.", examples: ["script_http_error"] }),
    message: z.string().describe("What failed, in words."),
  })
  .meta({ id: "RunFailure", description: "Why a run failed." });

const syncDelay = z
  .strictObject({
    reason: z
      .enum([
        "no_worker",
        "environment_busy",
        "installation_busy",
        "queued",
        "rate_limited",
        "taken_over",
      ])
      .describe(
        "`no_worker`: no process that runs functions was seen within a minute; `environment_busy`: as many runs of the environment are under way as it may have at once; `installation_busy`: all slots of all workers are taken; `queued`: a slot is free, and the run begins soon; `rate_limited`: the run is under way, and waits until its provider takes calls again; `taken_over`: the run was begun again since its worker ended.",
      ),
    since: timestamp.describe("When the run was due, was queued, or began."),
    running: z
      .number()
      .int()
      .nullable()
      .describe("Runs under way, for `environment_busy` and `installation_busy`; null otherwise."),
    limit: z
      .number()
      .int()
      .nullable()
      .describe("How many there may be, for the same reasons; null otherwise."),
    attempts: z
      .number()
      .int()
      .nullable()
      .describe("How often the run was begun, for `taken_over`; null otherwise."),
    until: timestamp
      .nullable()
      .describe(
        "When the provider takes calls again, as far as it said, for `rate_limited`; null otherwise.",
      ),
  })
  .meta({ id: "SyncDelay", description: "Why a sync has not run, or not finished, in its time." });

const latestRun = z
  .strictObject({
    id: uuid.describe("Id of the run."),
    state: runState.describe("Its state; `waiting`: it is queued."),
    created_at: timestamp.describe("When it was queued."),
    operation_id: uuid
      .nullable()
      .describe("Its operation in the logs; null when it ended before it had one."),
  })
  .meta({ id: "LatestRun", description: "A run of a sync, as a list of syncs shows it." });

const sync = z
  .strictObject({
    id: uuid.describe("Id of the sync of this connection."),
    name: z.string().meta({ description: "Name of the sync.", examples: ["contacts"] }),
    variant: z.string().describe("Variant of the sync; `base` is the sync itself."),
    provider_config_key: z
      .string()
      .meta({ description: "Key of its integration.", examples: ["hubspot"] }),
    connection_id: z
      .string()
      .meta({ description: "The connection that it runs for.", examples: ["user-42"] }),
    state: syncState.describe("Its state."),
    reason: runFailure
      .nullable()
      .describe("In `failing`: why its latest run failed. Null otherwise."),
    frequency: z
      .string()
      .nullable()
      .meta({
        description: "How often it runs, as set for this connection or as deployed.",
        examples: ["5 minutes"],
      }),
    last_success_at: timestamp
      .nullable()
      .describe("When the last run that succeeded began; null before the first."),
    next_run_at: timestamp
      .nullable()
      .describe("When it runs next; null while it runs, is paused, or its function is disabled."),
    lag_seconds: z
      .number()
      .int()
      .describe(
        "For how many seconds its next run has been due without being begun; 0 when it is in time.",
      ),
    delay: syncDelay
      .nullable()
      .describe(
        "Why it is late: its run has been due or queued for a minute, was begun more than once, or waits for its provider's rate limit. Null when it is in time.",
      ),
    running_run_id: uuid
      .nullable()
      .describe("Its run that runs or is queued; null when there is none."),
    consecutive_failures: z.number().int().describe("Scheduled runs that failed in a row."),
    refused_deletes: z.record(z.string(), z.number().int()).meta({
      description:
        "By model, how many records its run wanted to delete when the delete guard stopped it; empty when there is nothing to confirm.",
      examples: [{ Contact: 41_900 }],
    }),
    latest_runs: z
      .array(latestRun)
      .optional()
      .describe("Up to 20 of its runs, newest first; only with `include=runs`."),
    record_count: z
      .number()
      .int()
      .optional()
      .describe(
        "Live records that its models have for this connection; only with `include=results`.",
      ),
    latest_result: changes
      .nullable()
      .optional()
      .describe(
        "What its latest run did to records of all models, so far if it is under way; null before the first. Only with `include=results`.",
      ),
  })
  .meta({ id: "ListedSync", description: "A sync of one connection, as lists show it." });

const syncRun = z
  .strictObject({
    id: uuid.describe("Id of the run."),
    state: runState.describe("Its state; `waiting`: it is queued."),
    trigger: z
      .enum(["schedule", "trigger", "retry", "interruption", "webhook"])
      .describe(
        "Why there is the run: the schedule, a call of `POST /sync/trigger`, a try after a failure that may pass, or the rest of a run that came to its time limit.",
      ),
    full_run: z.boolean().describe("Whether nothing had been synced before it."),
    attempts: z
      .number()
      .int()
      .describe("How often it was begun; above 1 when a worker ended while it ran."),
    created_at: timestamp.describe("When it was queued."),
    started_at: timestamp.nullable().describe("When it began; null while it is queued."),
    ended_at: timestamp.nullable().describe("When it ended; null before."),
    duration_ms: z
      .number()
      .int()
      .nullable()
      .describe("Milliseconds from its begin to its end; null before it has ended."),
    result: z.record(z.string(), changes).describe("What it did to records, by model."),
    error: runFailure.nullable().describe("Why it failed; null when it did not."),
    cancel_requested_at: timestamp
      .nullable()
      .describe("When somebody stopped it; null if nobody did."),
    checkpoint: jsonObject.nullable().meta({
      description: "The checkpoint that it continued from; null without one, and before it began.",
      examples: [{ since: "2026-03-01T12:00:00Z" }],
    }),
    operation_id: uuid
      .nullable()
      .describe("Its operation in the logs; null when it ended before it had one."),
  })
  .meta({ id: "SyncRun", description: "One execution of a sync." });

export const syncListRoutes = {
  listSyncs: defineRoute({
    method: "GET",
    path: "/syncs",
    summary: "List the syncs of the environment, newest first or by connection",
    principals: ["environment"],
    scope: "environment:syncs:read",
    query: z
      .strictObject({
        provider_config_key: integrationKey.optional().describe("Only syncs of this integration."),
        connection_id: connectionId.optional().describe("Only syncs of connections with this id."),
        name: functionName.optional().describe("Only syncs of this name, with their variants."),
        state: syncState.optional().describe("Only syncs in this state."),
        sort: z
          .enum(["created", "connection"])
          .optional()
          .describe(
            "`created` (default): the newest sync first; `connection`: the syncs of the newest connection first, by name.",
          ),
        include: includeOf("runs", "results").describe(
          "`runs`: each sync with its latest runs; `results`: with its number of records and what its latest run did. At most 100 syncs a page then.",
        ),
        ...pageQuery("Syncs", { most: 500, usual: 100 }),
      })
      .refine(({ include = [], limit = 100 }) => include.length === 0 || limit <= 100, {
        path: ["limit"],
        message: "must be at most 100 with include",
      }),
    synonyms: { query: camelCaseOf("provider_config_key", "connection_id") },
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(sync).describe("The page of syncs, in the order that was asked for."),
        next_cursor: nextCursor,
      }),
    },
    errors: [{ code: "unknown_provider_config", status: 400 }, "invalid_cursor"],
    idempotent: false,
  }),
  listSyncRuns: defineRoute({
    method: "GET",
    path: "/syncs/{id}/runs",
    summary:
      "List the runs of a sync, newest first; runs are kept for a week, the latest permanently",
    principals: ["environment"],
    scope: "environment:syncs:read",
    params: z.strictObject({ id: uuid.describe("The sync, as `GET /syncs` names it.") }),
    query: z.strictObject({
      ...pageQuery("Runs", { most: 500, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(syncRun).describe("The page of runs, newest first."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["not_found", "invalid_cursor"],
    idempotent: false,
  }),
  cancelRun: defineRoute({
    method: "POST",
    path: "/runs/{id}/cancel",
    summary: "Stop a run of a sync; it runs next in the next slot of its schedule",
    principals: ["environment"],
    scope: "environment:syncs:execute",
    params: z.strictObject({ id: uuid.describe("The run.") }),
    success: {
      status: 200,
      schema: z.strictObject({
        cancelled: z
          .boolean()
          .describe("`false` when the run had ended already. Otherwise it ends within seconds."),
        data: syncRun.describe("The run in its current state."),
      }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
